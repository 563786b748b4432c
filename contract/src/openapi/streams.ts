import { LIVE_EVENTS } from '../resources/live.ts';
import { SOCKETS } from '../resources/sockets.ts';
import { refusals } from './answers.ts';
import { type NamedSchemas, withoutDefaults } from './named-schemas.ts';

/** The live stream and the web sockets are described manually because, unlike operations, they do not end. */

type Json = Record<string, unknown>;

export const LIVE = 'Live';

export function describedLive(schemas: NamedSchemas): Json {
  const events = Object.entries(LIVE_EVENTS).map(([event, data]) =>
    schemas.named({
      type: 'object',
      title: `${event} event`,
      required: ['event', 'data'],
      properties: {
        id: { type: 'string', description: 'Id of the event.' },
        event: { type: 'string', const: event, description: 'Name of the event.' },
        data: withoutDefaults(data),
      },
    }),
  );
  const query = (name: string, description: string) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: 'live',
    tags: [LIVE],
    summary: 'Subscribe to live events',
    description:
      'Streams positions, readings, messages, notifications and state changes of the devices visible to the caller, as server-sent events.\n\nTo resume, send the id of the last event received: events of the last 24 hours are delivered without gaps and without duplicates. For an older id, one `reset` event is sent first.\n\nComments keep the connection alive. A client that cannot keep up receives only the newest positions, and is disconnected if it still falls behind.\n\nThe same events come over web sockets in version 2, at `/v2/chasm/ws`.\n\nAccess: every signed-in user.',
    security: [{ ApiKeyAuth: [] }, { BearerAuth: [] }, { TokenInQuery: [] }],
    parameters: [
      query('devices', 'Comma-separated device ids. Only events of these devices are sent, at most 1000.'),
      query('lastEventId', 'Id of the last event received, for clients that cannot send the header `Last-Event-ID`.'),
    ],
    responses: {
      200: {
        description: 'The stream. Each event has an id, a name, and JSON data.',
        content: { 'text/event-stream': { schema: { oneOf: events } } },
      },
      ...refusals([400, 401, 403, 404, 429, 503]),
    },
  };
}

export function describedSocket(path: string): Json {
  return {
    tags: [LIVE],
    ...SOCKETS[path],
    security: [{ ApiKeyAuth: [] }, { BearerAuth: [] }],
    responses: {
      101: { description: 'The web socket is open.' },
      ...refusals([400, 401, 403, 404, 426, 429, 503]),
    },
  };
}
