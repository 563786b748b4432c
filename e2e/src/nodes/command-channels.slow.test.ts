import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { apiOf } from '../harness/api.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStation, voiceOf } from '../harness/station.ts';
import { connectTracker } from '../harness/tracker.ts';

onPostgres('commands of trackers at several nodes', { migrations: [] }, (open) => {
  test('reach the node of the tracker, and no other connection while that one is alive', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    // One after the other, so that the first does not know of the second yet.
    const [one] = await startNodes(t, place, [{ TRACKWAY_NODE_NAME: 'one' }]);
    const [two] = await startNodes(t, place, [{ TRACKWAY_NODE_NAME: 'two' }]);
    const apis = [one!, two!].map((node) => apiOf(node.address));
    t.after(() => {
      for (const api of apis) api.close();
    });
    const { owner } = await makeStation(apis[0]!);
    const elsewhere = voiceOf(apis[1]!, owner);
    const imei = imeiOf(700);
    const { id } = await owner.client.createDevice({ body: { name: 'van', imei, allowKeyless: true } });
    let ago = 60_000;
    const connect = async (node: typeof one) => {
      const tracker = await connectTracker(t, gt06, imei, node!.trackersPort);
      await tracker.logIn();
      ago -= 1000;
      tracker.report([{ timestamp: Date.now() - ago, location: { lat: 50, lng: 8 }, speed: 0 }]);
      await tracker.confirmed(1);
      return tracker;
    };
    const command = async (by = owner) => {
      const { id: fk } = await by.client.sendCommand({ id, body: { command: 'position' } });
      return {
        /** Waits until it is in another state, or held. */
        until: (what: string, fits: (message: { state: string | null; failure: string | null }) => boolean) =>
          eventually(what, () => owner.client.getMessage({ id, fk }), fits),
      };
    };
    const isWritten = ({ state }: { state: string | null }) => state === 'written';

    const tracker = await connect(two);
    const first = await command();
    await first.until('it is sent by the other node', isWritten);

    const attacker = await connect(one);
    const receivedBefore = attacker.received();
    // The other node may learn of the second connection a moment later. Until then the tracker gets its commands.
    const isHeld = ({ failure }: { failure: string | null }) => /two connections/.test(failure ?? '');
    for (const by of [owner, elsewhere])
      for (let attempt = 1, isDone = false; !isDone; attempt++) {
        assert.ok(attempt < 100, 'a command is held');
        const sent = await command(by);
        const message = await sent.until('it is sent or held', (one) => isWritten(one) || isHeld(one));
        isDone = isHeld(message);
      }
    assert.equal(attacker.received(), receivedBefore);
    const notices = await eventually(
      'the owner is notified',
      async () => (await owner.client.listNotifications({ id: 'me' })).filter(({ deviceId }) => deviceId === id),
      ({ length }) => length > 0,
    );
    assert.ok(notices.length <= 2, 'once by each node at most');
    attacker.socket.destroy();
    const next = await command();
    await next.until('the tracker gets what was held', isWritten);
    assert.equal(attacker.received(), receivedBefore);

    const second = await connect(one);
    await owner.client.releaseCommandChannel({ id });
    await eventually('its connections at both nodes are closed', () => tracker.isClosed() && second.isClosed());
    const third = await connect(one);
    const fourth = await connect(two);
    await elsewhere.client.releaseCommandChannel({ id });
    await eventually('the same asked for at the other node', () => third.isClosed() && fourth.isClosed());
    const moved = await connect(one);
    const after = await command(elsewhere);
    await after.until('the next connection receives commands', isWritten);
    moved.socket.destroy();

    await connect(two);
    await (await command()).until('the other node has the channel', isWritten);
    process.kill(two!.pid, 'SIGKILL');
    await connect(one);
    const last = await command();
    await last.until('what a dead node held is free', isWritten);
  });
});
