import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { integer, key, number, required, time } from '../../schema.ts';

/** Maximum number of days, devices, positions per device, and cells of a heat map. */
export const MOST_HEAT_DAYS = 31;
export const MOST_HEAT_DEVICES = 200;
export const MOST_HEAT_POSITIONS = 20_000;
export const MOST_HEAT_CELLS = 5000;
export const MOST_HEAT_ZOOM = 18;

const degrees = (most: number, description: string) => required(number(description, { minimum: -most, maximum: most }));

export const heatMapOperations = {
  heatMap: operation('GET', '/users/{id}/heatMap', 'self', {
    summary: "Count where a user's devices were in a period",
    description: `Owned and shared devices, at most ${MOST_HEAT_DEVICES}, and the newest ${MOST_HEAT_POSITIONS} positions of each in the period. Returns the ${MOST_HEAT_CELLS} cells that have the most positions.`,
    query: {
      from: required(time('Start of the period.')),
      to: required(time(`End of the period, at most ${MOST_HEAT_DAYS} days after its start.`)),
      west: degrees(180, 'Western edge of the map in degrees.'),
      south: degrees(90, 'Southern edge of the map in degrees.'),
      east: degrees(180, 'Eastern edge of the map in degrees, more than the western one.'),
      north: degrees(90, 'Northern edge of the map in degrees.'),
      zoom: integer('Zoom of the map: a cell is four of its pixels wide.', {
        minimum: 0,
        maximum: MOST_HEAT_ZOOM,
        default: 10,
      }),
      deviceId: key('Only this device.'),
    },
    answer: Type.Object(
      {
        cells: Type.Array(
          Type.Object(
            {
              lat: Type.Number({ description: 'Latitude of its middle in degrees.' }),
              lng: Type.Number({ description: 'Longitude of its middle in degrees.' }),
              count: Type.Integer({ description: 'Positions in it.' }),
            },
            { title: 'heat map cell' },
          ),
          { description: 'Cells with at least one position, most positions first.' },
        ),
        isComplete: Type.Boolean({ description: 'Whether all devices, positions and cells were counted.' }),
      },
      { title: 'heat map' },
    ),
    example: { answer: { cells: [{ lat: 46.4983, lng: 11.3548, count: 214 }], isComplete: true } },
  }),
};
