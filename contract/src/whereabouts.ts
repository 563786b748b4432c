import { Type } from 'typebox';
import { answerOf, operation } from './operation.ts';
import { LOCATION_TYPES } from './point.ts';
import { flag, key, list, noun, number, place, text, time } from './schema.ts';

/** Where a device is, and how it is doing: what a map shows of it. */
export const whereabouts = noun(
  'whereabouts',
  {
    deviceId: key('The device.', { readOnly: true }),
    name: text('What its people call it.'),
    color: text('Its colour on the map.'),
    type: text('A free grouping value.'),
    tags: list(Type.String(), 'Free labels.', { 'x-texts': true }),
    right: Type.Enum(['own', 'manage', 'view'], { description: 'What the user may do with it.' }),
    location: place('Its newest position; null while none is known.'),
    timestamp: time('When it was there.'),
    speed: number('km/h.'),
    course: number('Degrees clockwise from north.'),
    accuracy: number('Radius in metres within which it is with 68 % probability.'),
    locationType: Type.Enum([...LOCATION_TYPES], { description: 'How the location was found.' }),
    batteryPct: number('Battery as last heard, percent.'),
    lastConnection: time('When it was last heard.'),
    moving: flag('Whether it is under way; null while that is not known.'),
  },
  { always: ['deviceId', 'right'] },
);

export const whereaboutsOperations = {
  listWhereabouts: operation('GET', '/users/{id}/whereabouts', 'self', {
    summary: 'Where all devices are that a user may see',
    description: 'Every device with its newest position, by their ids; for an admin every device there is.',
    answer: Type.Array(answerOf(whereabouts)),
  }),
};
