import { useMemo } from 'react';
import { usePoints } from '../../api/devices.ts';
import { colorOf, useGeofences } from '../../api/geofences.ts';
import type { Explanation } from '../../api/notifications.ts';
import { clockSeconds, exactTime } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { type Disc, evidenceDrawing } from '../../map/draw/draw-evidence.ts';
import { boxOf, type FenceShape, shapeOf } from '../../map/draw/draw-shape.ts';
import { MapView } from '../../map/map-view.tsx';
import { PlaceName } from '../../map/place-name.tsx';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import { PhoneLine, Table } from '../../ui/table.tsx';
import css from './notification.module.css';
import { type EvidenceOfFix, evidenceOf, surenessOfSide, zoneOf } from './reasons.ts';

const words = t.notifications;
/** The map shows the edge near the fixes, not the whole of a large fence. */
const NEAR_M = 60;
/** Includes reports without a place. */
const BEFORE = 50;
const FIELDS = ['id', 'location', 'accuracy'];

/** The fixes of the decision, in a table and on a map with the fence; or the only position. */
export function Evidence({ explanation: { notification, because } }: { explanation: Explanation }) {
  const fixes = evidenceOf(because);
  const zone = zoneOf(because);
  // Requested as lists, because a deleted object is then not an error.
  const fences = useGeofences({ where: { id: zone?.id ?? 0 } }, { enabled: zone !== undefined });
  const { deviceId, pointId } = notification;
  const asksPoint = fixes.length === 0;
  const own = usePoints(
    deviceId,
    { where: { id: pointId ?? 0 }, fields: FIELDS },
    { enabled: asksPoint && pointId !== null },
  );
  // A notification about a reading, such as an alarm, has no position: the last one before it is shown.
  const asksLast = asksPoint && (pointId === null || own.data?.length === 0);
  const last = usePoints(
    deviceId,
    { where: { timestamp: { lte: notification.timestamp } }, order: 'timestamp DESC', limit: BEFORE, fields: FIELDS },
    { enabled: asksLast },
  );
  const points = asksLast ? last : own;
  const point = points.data?.find(({ location }) => location !== null);
  const isSettled = (zone === undefined || !fences.isPending) && (!asksPoint || !points.isPending);
  const discs: readonly Disc[] =
    fixes.length > 0 ? fixes : point?.location ? [{ place: point.location, accuracyM: point.accuracy ?? 0 }] : [];
  if (!isSettled || discs.length === 0) return null;
  const fence = fences.data?.[0];
  const shape = fence && shapeOf(fence);
  return (
    <Card title={words.evidence} isFlush>
      <EvidenceMap discs={discs} fence={shape && { shape, color: colorOf(fence) }} />
      <p className={css.caption}>
        <PlaceName at={discs.at(-1)!.place} deviceId={deviceId} className={css.where} />
        {shape ? words.fenceNow : asksLast ? words.lastPointMap : words.pointMap}
      </p>
      {fixes.length > 0 && (
        <div className={css.table}>
          <FixTable fixes={fixes} />
        </div>
      )}
    </Card>
  );
}

function EvidenceMap({
  discs,
  fence,
}: {
  discs: readonly Disc[];
  fence: { shape: FenceShape; color: string | undefined } | undefined;
}) {
  // The evidence does not change, so the map is created once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: See above.
  const { parts, box } = useMemo(() => {
    const rings: FenceShape[] = discs.map(({ place, accuracyM, distanceM = 0 }) => ({
      kind: 'circle',
      center: place,
      radius: Math.max(NEAR_M, accuracyM * 3, Math.abs(distanceM) * 1.5),
    }));
    return {
      parts: [evidenceDrawing(discs, fence)],
      box: boxOf(rings)!,
    };
  }, []);
  return (
    <div className={css.map}>
      <MapView label={words.evidenceMap} parts={parts} start={{ bounds: box }} />
    </div>
  );
}

function FixTable({ fixes }: { fixes: readonly EvidenceOfFix[] }) {
  const format = useFormat();
  const accuracyOf = ({ accuracyM }: EvidenceOfFix) => t.device.within({ distance: format.distance(accuracyM) });
  return (
    <Table<EvidenceOfFix>
      caption={words.evidence}
      rows={fixes}
      rowKey={({ pointId }) => pointId}
      columns={[
        {
          key: 'time',
          label: words.columns.time,
          fits: true,
          cell: ({ at }) => (
            <time dateTime={at} title={exactTime(at)}>
              {clockSeconds(at)}
            </time>
          ),
        },
        {
          key: 'distance',
          label: words.columns.distance,
          wraps: 'words',
          cell: (fix) => (
            <>
              {fix.distanceM < 0
                ? words.insideBy({ distance: format.distance(-fix.distanceM) })
                : words.outsideBy({ distance: format.distance(fix.distanceM) })}
              <PhoneLine>{accuracyOf(fix)}</PhoneLine>
            </>
          ),
        },
        {
          key: 'accuracy',
          label: words.columns.accuracy,
          align: 'end',
          isMinor: true,
          cell: accuracyOf,
        },
        {
          key: 'confidence',
          label: words.columns.confidence,
          wraps: 'words',
          cell: surenessOfSide,
        },
        {
          key: 'stopped',
          label: words.columns.stopped,
          isMinor: true,
          cell: ({ stopped }) => (stopped ? words.yes : words.no),
        },
      ]}
    />
  );
}
