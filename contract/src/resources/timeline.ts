import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { time } from '../schema.ts';

/** Possible subjects of a timeline, and the required right. */
export const TIMELINES = {
  datapoint: 'view',
  devicemessage: 'view',
  plans: 'view',
  activation: 'view',
  bootloader: 'view',
  pairing: 'own',
  sim: 'own',
  backendnote: 'admin',
} as const;

export type TimelineType = keyof typeof TIMELINES;

const entry = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time', description: 'When it was recorded.' }),
    at: Type.String({ format: 'date-time', description: 'When it happened.' }),
    type: Type.String({ description: 'What happened, as a path: `activation/created`.' }),
    description: Type.String({ description: 'The same as a sentence.' }),
    meta: Type.Record(Type.String(), Type.String(), { description: 'Texts by name.' }),
  },
  { title: 'timeline entry' },
);

const timeline = Type.Object(
  {
    data: Type.Array(entry, { description: 'Oldest first, at most 10 000.' }),
    since: Type.String({ format: 'date-time', description: 'Start of the range, exclusive.' }),
    until: Type.String({
      format: 'date-time',
      description: 'End of the range, inclusive. Send it as the next `since`, so that no event is missed or repeated.',
    }),
  },
  { title: 'timeline' },
);

export const timelineOperations = {
  getTimeline: operation('GET', '/devices/{id}/timeline/{type}', 'view', {
    versions: ['v2'],
    byIdentifier: true,
    texts: ['type'],
    summary: "Get a device's timeline",
    description: `What was recorded about a device. Types: ${Object.keys(TIMELINES).join(', ')}. \`pairing\` and \`sim\` are for the owner, \`backendnote\` for admins. Events other than positions and messages are kept for a year.`,
    query: {
      since: time('Only what was recorded after it. Defaults to 14 days before `until`.'),
      until: time('Only what was recorded up to it. Defaults to now.'),
    },
    answer: timeline,
    example: {
      answer: {
        data: [
          {
            timestamp: '2026-06-01T08:00:00.000Z',
            at: '2026-06-01T08:00:00.000Z',
            type: 'activation/created',
            description: 'The device was created.',
            meta: {},
          },
        ],
        since: '2026-05-25T12:00:00.000Z',
        until: '2026-06-08T12:00:00.000Z',
      },
    },
  }),
};
