import { useMemo } from 'react';
import type { Geofence } from '../../api/geofences.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import { boundsOf } from '../../map/camera.ts';
import { fenceLayer, ringOf } from '../../map/fence-layer.ts';
import { MapView } from '../../map/map-view.tsx';
import { reportLayer } from '../../map/report-layer.ts';
import { t } from '../../texts/t.ts';
import { placesOf } from './report-places.ts';
import css from './reports.module.css';

/** The places of the shown rows, with their geofences. */
export default function ReportMap({ rows, fences }: { rows: readonly FleetReportRow[]; fences: readonly Geofence[] }) {
  const { parts, bounds } = useMemo(() => {
    const places = placesOf(rows);
    const reported = new Set(rows.map(({ fenceId }) => fenceId));
    const visited = fences.filter(({ id }) => reported.has(id));
    const corners = visited.flatMap((fence) => (ringOf(fence) ?? []).map(([lng, lat]) => ({ lat: lat!, lng: lng! })));
    return {
      parts: [fenceLayer(visited), reportLayer(places)],
      bounds: boundsOf([...corners, ...places.flatMap(({ from, to }) => (to ? [from, to] : [from]))]),
    };
  }, [rows, fences]);
  if (bounds === undefined) return null;
  return (
    <div className={css.map}>
      {/* Remounted for other rows, so that the map fits them. */}
      <MapView key={JSON.stringify(bounds)} label={t.reports.map} parts={parts} start={{ bounds }} />
    </div>
  );
}
