import { recordAudit } from '../audit/record.ts';
import { endUncoveredSafeZones } from '../commands/config-operations.ts';
import { endUncoveredMessages } from '../commands/message-operations.ts';
import { endUncoveredForwarders } from '../delivery/forwarders.ts';
import { cancelUncovered } from '../delivery/send-guard.ts';
import { rulesChanged } from '../devices/rules-changed.ts';
import { endUncoveredGroupLinks, endUncoveredLinks } from '../links/end-links.ts';
import { allAccessChanged, appendLiveEvents } from '../live/append-live-events.ts';
import type { EndedRights, EndUncovered, RightsEnded } from '../rights.ts';
import type { Tx } from '../schema/tables.ts';
import { endUncoveredTriggers } from '../triggers/versions.ts';

/** What rests on rights, each ending what the rights that are left do not cover. A new thing that does adds its line. */
const FOLLOWERS: Readonly<Record<string, EndUncovered>> = {
  triggers: endUncoveredTriggers,
  forwarders: endUncoveredForwarders,
  links: endUncoveredLinks,
  groupLinks: endUncoveredGroupLinks,
  safeZones: endUncoveredSafeZones,
  deliveries: cancelUncovered,
  messages: endUncoveredMessages,
};

/** Called whenever rights end: shares, demotion and deletion of a user, deletion of a device. */
export const rightsEnded: RightsEnded = async (tx, ended, now) => {
  // First, because it waits for a running evaluation of the device: what that records is visible below.
  for (const deviceId of await devicesOf(tx, ended)) await rulesChanged(tx, deviceId);
  const detail: Record<string, number> = {};
  for (const [name, end] of Object.entries(FOLLOWERS)) {
    const count = await end(tx, ended, now);
    if (count > 0) detail[name] = count;
  }
  const { userId, deviceId } = ended;
  if (Object.keys(detail).length > 0) await recordAudit(tx, { action: 'rights.ended', userId, deviceId, detail }, now);
  if (userId !== undefined && deviceId === undefined) await appendLiveEvents(tx, [allAccessChanged(userId)], now);
};

/** Those whose cached rules may name the user, in the order of their ids, so that transactions never wait in a circle. */
async function devicesOf(tx: Tx, { userId, deviceId }: EndedRights): Promise<number[]> {
  if (deviceId !== undefined) return [deviceId];
  if (userId === undefined) return [];
  const devices = new Set<number>();
  for (const table of ['triggerVersions', 'forwarders'] as const)
    for (const row of await tx.selectFrom(table).select('deviceId').distinct().where('userId', '=', userId).execute())
      devices.add(row.deviceId);
  return [...devices].sort((a, b) => a - b);
}
