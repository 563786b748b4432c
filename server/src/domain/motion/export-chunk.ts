import type { ExportFormat } from '@trackway/contract/resources/trip.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { TextChunk } from '../chunked-text.ts';
import type { Tables } from '../schema/tables.ts';
import { EXPORT_WRITERS, type ExportedPosition } from './export-formats.ts';

/** What a track is exported from, and how far it is. */
export interface TrackExport {
  readonly device: { readonly id: number; readonly name: string };
  readonly format: ExportFormat;
  readonly from: number;
  readonly to: number;
  /** The last position that is written already. */
  readonly after?: { readonly timestamp: number; readonly id: number };
}

type ExportChunk = TextChunk<NonNullable<TrackExport['after']>>;

/** About 60 kB of text. */
const POSITIONS = 500;

/** Reads and formats the next positions of an export. */
export const exportChunk = defineReadWork(
  import.meta.url,
  async ({ query }: Workplace<Tables>, { device, format, from, to, after }: TrackExport): Promise<ExportChunk> => {
    const since = after ?? { timestamp: from, id: 0 };
    const positions = (await query
      .selectFrom('points')
      .select([
        'id',
        'timestamp',
        'locationLat',
        'locationLng',
        'altitude',
        'speed',
        'course',
        'accuracy',
        'locationType',
        'stringValue',
        'currentUsed',
        'num_value',
      ])
      .where('deviceId', '=', device.id)
      .where('timestamp', '>=', since.timestamp)
      .where('timestamp', '<=', to)
      .where((when) => when.or([when('timestamp', '>', since.timestamp), when('id', '>', since.id)]))
      .where('locationLat', 'is not', null)
      .orderBy('timestamp')
      .orderBy('id')
      .limit(POSITIONS)
      .execute()) as ExportedPosition[];
    const writer = EXPORT_WRITERS[format];
    let text = after === undefined ? writer.begin(device.name) : '';
    for (const [index, position] of positions.entries())
      text += writer.each(position, after === undefined && index === 0);
    const last = positions.at(-1);
    if (last === undefined || positions.length < POSITIONS) return { text: text + writer.end() };
    return { text, after: { timestamp: last.timestamp, id: last.id } };
  },
);
