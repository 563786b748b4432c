import { apiOf } from '../../../e2e/src/harness/api.ts';
import { clientOf } from '../../../e2e/src/harness/checked-client.ts';
import { notifiedDevices } from '../../../e2e/src/harness/nodes.ts';
import { adminOf } from '../../../e2e/src/harness/people.ts';
import { startReceiver } from '../../../e2e/src/harness/receiver.ts';
import { countOf } from '../fleet/account.ts';
import { serve } from '../fleet/serve.ts';
import { Tally } from '../fleet/tally.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

const NODES = 3;
const DEVICES = 300;
/** Seconds without a report. */
const AFTER = 15;

/** All devices of three nodes fall silent at once: each is notified once, by notification and by webhook. */
export const silence: Trial = {
  about: `${DEVICES} devices of three nodes fall silent at once`,
  tries: { quick: 1, full: 3 },
  async run(total, progress) {
    await using places = await placesOn('postgres');
    const tally = new Tally();
    for (let done = 1; done <= total; done += 1) {
      const place = await places.make();
      const receiver = await startReceiver();
      const running = await Promise.all(Array.from({ length: NODES }, () => serve('postgres', place)));
      const apis = running.map(({ address }) => apiOf(address));
      const client = clientOf(apis[0]!, (await adminOf(apis[0]!)).token);
      const report = async (node: number, key: string) => {
        const body = { points: [{ lat: 48, lng: 11 }] };
        const { status } = await apis[node]!('POST', '/ingest/reports', { headers: { authorization: key }, body });
        if (status !== 200) tally.fault([`a report was answered ${status}`]);
      };
      const keys: string[] = [];
      for (let device = 0; device < DEVICES + 1; device += 1) {
        const { id, deviceKey } = await client.createDevice({ body: { name: `Device ${device}` } });
        const parameters = { after: AFTER, endpoint: receiver.address };
        const body = { type: 'offline' as const, parameters, delivery: { http: true } };
        await client.createNotificationTrigger({ id, body });
        keys.push(deviceKey!);
      }
      const [last, ...others] = keys.reverse();
      await Promise.all(others.map((key, index) => report(index % NODES, key)));
      await receiver.has(DEVICES);
      // The silence of another one is noticed later: by then the first is evaluated.
      await report(0, last!);
      await receiver.has(DEVICES + 1);
      const counts = countOf((await notifiedDevices(place)).map(String));
      const again = receiver.received.length - receiver.messages.size;
      tally.add({
        lost: Array.from({ length: DEVICES + 1 - counts.size }, () => 'a silence'),
        doubled: [
          ...[...counts].filter(([, count]) => count > 1).map(([device]) => `the silence of device ${device}`),
          ...Array.from({ length: again }, () => 'a webhook'),
        ],
      });
      tally.note('notifications', counts.size);
      for (const api of apis) api.close();
      for (const node of running) await node.stop();
      await receiver.close();
      progress(done, tally.text());
    }
    return tally.result(total);
  },
};
