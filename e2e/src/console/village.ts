import { tilesOf } from '@trackway/simulator/street-map/tiles.ts';
import * as s2 from 's2-pmtiles';

/** The package's own types name files without their endings, which are not found. */
const { BufferWriter, S2PMTilesWriter } = s2 as unknown as {
  BufferWriter: new () => { commit(): Uint8Array };
  S2PMTilesWriter: new (
    writer: object,
    type: number,
    compression: number,
  ) => {
    writeTileXYZ(z: number, x: number, y: number, content: Uint8Array): Promise<void>;
    commit(metadata: object): Promise<void>;
  };
};

export const HERE = { lat: 52.1, lng: 5.1 };

/** A village of one named street and a lake, written by a library that is not ours. */
export async function village(): Promise<Uint8Array> {
  const around = (dx: number, dy: number) => [HERE.lng + dx, HERE.lat + dy] as const;
  const tiles = tilesOf(
    [
      {
        layer: 'earth',
        shape: 'area',
        places: [around(-1, -1), around(1, -1), around(1, 1), around(-1, 1)],
        properties: { kind: 'earth' },
        minZoom: 6,
      },
      {
        layer: 'water',
        shape: 'area',
        places: [around(0.001, -0.004), around(0.006, -0.004), around(0.006, -0.001), around(0.001, -0.001)],
        properties: { kind: 'lake' },
        minZoom: 6,
      },
      {
        layer: 'roads',
        shape: 'line',
        places: [around(-0.02, 0.001), around(0.02, 0.001)],
        properties: { kind: 'major_road', kind_detail: 'primary', name: 'Lindenstraße' },
        minZoom: 6,
      },
    ],
    10,
    13,
  );
  const buffer = new BufferWriter();
  const writer = new S2PMTilesWriter(buffer, 1, 1);
  for (const { z, x, y, content } of tiles) await writer.writeTileXYZ(z, x, y, content);
  await writer.commit({ name: 'Village', attribution: 'Made up' });
  return buffer.commit();
}
