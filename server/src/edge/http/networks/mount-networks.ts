import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../../calls.ts';
import { Repeats } from '../../listeners/repeats.ts';
import { StandingAlarms } from '../../listeners/standing-alarms.ts';
import { networkProtocols } from '../../protocols/networks/networks.ts';
import { trackerProtocols } from '../../protocols/trackers/trackers.ts';
import type { Meter } from '../meter.ts';
import type { NetworkDesk } from './desk.ts';
import { reporterOf } from './reporter.ts';
import { serveMessage } from './serve-message.ts';
import { serveRaw } from './serve-raw.ts';

/** What is posted for one message of one device is a few kilobytes. */
const MESSAGE_BYTES = 256 * 1024;
const FRAME_BYTES = 64 * 1024;

type Serve = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Mounts the addresses where networks post what devices say, with the token of whom the devices belong to. */
export function mountNetworks(server: FastifyInstance, desk: NetworkDesk, meter: Meter): void {
  /** Found by their token before the body is read. */
  const callers = new WeakMap<FastifyRequest, Caller>();

  const mount = (at: FastifyInstance, path: string, methods: readonly string[], bodyLimit: number, serve: Serve) => {
    const operation = `ingest ${path}`;
    at.route({
      method: [...methods],
      url: `/ingest/${path}`,
      bodyLimit,
      config: { operation },
      async onRequest(request) {
        callers.set(request, await reporterOf(request, desk.gate, desk.failures));
      },
      async handler(request, reply) {
        const started = performance.now();
        const answer = await serve(callers.get(request)!, request, reply);
        meter.note(operation, reply.statusCode, (performance.now() - started) / 1000);
        return answer;
      },
    });
  };

  server.register(async (texts) => {
    texts.removeAllContentTypeParsers();
    texts.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
    for (const protocol of networkProtocols)
      mount(texts, protocol.name, protocol.methods, MESSAGE_BYTES, (caller, request, reply) =>
        serveMessage(desk, protocol, caller, request, reply),
      );
  });

  const memory = { alarms: new StandingAlarms(), hearings: new Repeats() };
  server.register(async (frames) => {
    frames.removeAllContentTypeParsers();
    frames.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    for (const protocol of trackerProtocols)
      mount(frames, `raw/${protocol.name}`, ['POST'], FRAME_BYTES, (caller, request, reply) =>
        serveRaw(desk, protocol, memory, caller, request, reply),
      );
  });
}
