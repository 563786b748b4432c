import type { ExportFormat } from '@trackway/contract/resources/trip.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { TextChunk } from '../chunked-text.ts';
import { positions } from '../positions/positions.ts';
import type { Tables } from '../schema/tables.ts';
import { EXPORT_WRITERS, type ExportedPosition } from './export-formats.ts';

/** The source and the progress of an export. */
interface TrackExport {
  readonly device: { readonly id: number; readonly name: string };
  readonly format: ExportFormat;
  readonly from: number;
  readonly to: number;
  /** The last exported position. */
  readonly after?: { readonly timestamp: number; readonly id: number };
}

type ExportChunk = TextChunk<NonNullable<TrackExport['after']>>;

/** About 60 kB of text. */
const POSITIONS = 500;

/** Reads and formats the next positions of an export. */
export const exportChunk = defineReadWork(
  import.meta.url,
  async ({ query }: Workplace<Tables>, { device, format, from, to, after }: TrackExport): Promise<ExportChunk> => {
    const found = await positions(query, {
      deviceId: device.id,
      from,
      to,
      after,
      kind: 'placed',
      limit: POSITIONS,
      columns: [
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
      ],
    });
    const exported = found as ExportedPosition[];
    const writer = EXPORT_WRITERS[format];
    let text = after === undefined ? writer.begin(device.name) : '';
    for (const [index, position] of exported.entries())
      text += writer.each(position, after === undefined && index === 0);
    const last = exported.at(-1);
    if (last === undefined || exported.length < POSITIONS) return { text: text + writer.end() };
    return { text, after: { timestamp: last.timestamp, id: last.id } };
  },
);
