import type { ReportReceiver, TrackerGateway } from '../calls.ts';
import type { Store } from '../domain/schema/tables.ts';
import type { Vitals } from '../domain/service/health.ts';
import type { Pace } from '../platform/pace.ts';
import { WritesRefused } from '../platform/storage/trouble.ts';

/** The same, but refuses reports while the disk is full: what space is left is for people who make room. */
export const rejectWhenDiskFull = (receiver: ReportReceiver, { condition }: Store): ReportReceiver => ({
  ...receiver,
  async receive(...report) {
    if (condition.has('full')) throw new WritesRefused('full', 'The disk is full.');
    return receiver.receive(...report);
  },
});

/** The same, and counts the reports that were received. */
export const counted = (receiver: ReportReceiver, reports: Pace): ReportReceiver => ({
  ...receiver,
  async receive(identity, report, confirmation, now) {
    const received = await receiver.receive(identity, report, confirmation, now);
    if (received) reports.note(1, now);
    return received;
  },
});

/** Refuses reports of trackers while the disk is full, and counts received reports. */
export const rejectTrackersWhenDiskFull = (
  gateway: TrackerGateway,
  { condition }: Store,
  { reports }: Pick<Vitals, 'reports'>,
): TrackerGateway => ({
  ...gateway,
  async receive(tracker, report, now) {
    if (condition.has('full')) throw new WritesRefused('full', 'The disk is full.');
    const receipt = await gateway.receive(tracker, report, now);
    if (receipt.outcome === 'stored') reports.note(1, now);
    return receipt;
  },
});
