import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../../server/src/testing/eventually.ts';
import type { Answer } from '../harness/answer.ts';
import type { Api } from '../harness/api.ts';
import { adminOf, makePerson } from '../harness/people.ts';
import type { Server } from '../harness/server-process.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import type { Way } from './ended-rights.ts';

/** Webhooks and push services of everyone in the scene, distinguished by their paths. */
export interface Ends {
  urlOf(path: string): string;
  /** What arrived there, in order. */
  at(path: string): readonly Buffer[];
  fail(path: string): void;
  heal(): void;
  close(): void;
}

export async function startEnds(): Promise<Ends> {
  const taken = new Map<string, Buffer[]>();
  const failing = new Set<string>();
  const at = (path: string) => {
    const known = taken.get(path) ?? [];
    taken.set(path, known);
    return known;
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const path = request.url!.slice(1);
    if (failing.has(path)) return response.writeHead(503).end();
    at(path).push(body);
    response.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (path) => `http://127.0.0.1:${port}/${path}`,
    at,
    fail: (path) => failing.add(path),
    heal: () => failing.clear(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface Tracker {
  readonly id: number;
  report(body: object): Promise<Answer>;
}

/** In sentences that reach people. */
export const DEVICE_NAME = 'The van in question';

/** An owner's device, a holder of a right on it, and a friend's devices, which the holder may manage all the time. */
export interface Scene {
  readonly way: Way;
  readonly api: Api;
  readonly address: string;
  readonly trackersPort: number;
  readonly ends: Ends;
  readonly admin: Voice;
  readonly owner: Voice;
  readonly holder: Voice;
  readonly device: Tracker;
  /** Comes near the device at each news. */
  readonly companion: Tracker;
  /** The group by whose share the holder has the right, where it is one. */
  readonly groupId: number | undefined;
  /** The answer to what the device reported last. */
  lastAnswer(): Answer;
  /**
   * The device reports another place with its button pressed, and the companion follows it there. Resolves once the owner
   * and the friend have got theirs of it.
   */
  news(): Promise<void>;
  /** Device and companion send a message each, in this order. */
  talk(): Promise<void>;
  end(): Promise<void>;
}

export async function makeScene(
  api: Api,
  { address, trackersPort }: Pick<Server, 'address' | 'trackersPort'>,
  way: Way,
): Promise<Scene> {
  const ends = await startEnds();
  const admin = voiceOf(api, await adminOf(api));
  const owner = voiceOf(api, await makePerson(api, admin, 'owner', { admin: way === 'device claimed by another' }));
  const friend = voiceOf(api, await makePerson(api, admin, 'friend'));
  const holder = voiceOf(api, await makePerson(api, admin, 'holder', { admin: way === 'user demoted' }));

  async function makeTracker(voice: Voice, name: string): Promise<Tracker> {
    const { id, deviceKey } = await voice.client.createDevice({ body: { name } });
    return { id, report: (body) => api('POST', '/ingest/reports', { token: deviceKey, body }) };
  }
  const device = await makeTracker(owner, DEVICE_NAME);
  const companion = await makeTracker(friend, 'companion');
  const signpost = await makeTracker(friend, 'signpost');
  const manage = { email: holder.email, rights: 'manage' };
  await friend.make(`/devices/${companion.id}/shares`, manage);
  const isOfGroup = way.includes('group');
  const share =
    way === 'user demoted' || isOfGroup ? undefined : await owner.make(`/devices/${device.id}/shares`, manage);
  const group = isOfGroup ? await sharedGroup(owner, device.id, manage) : undefined;

  const ofOwner = { kind: 'http', target: ends.urlOf('owner'), types: ['newLoc'] };
  await owner.make(`/devices/${device.id}/forwarders`, ofOwner);
  await friend.make(`/devices/${companion.id}/notificationTriggers`, {
    type: 'proximity',
    delivery: { http: true },
    parameters: { deviceId: signpost.id, meters: 100, endpoint: ends.urlOf('friend') },
  });

  let round = 0;
  let said = 0;
  let answer: Answer | undefined;
  let isDeleted = false;
  let clock = 0;
  const fix = (lat: number, more: object = {}) => {
    // Evaluated by the triggers of that time, so never earlier than now.
    clock = Math.max(clock + 1, Date.now());
    return { timestamp: new Date(clock).toISOString(), location: { lat, lng: 8 }, accuracy: 5, ...more };
  };
  const accepted = ({ status, text }: Answer) => assert.equal(status, 200, text);

  const WAY: Readonly<Record<Way, () => Promise<Answer>>> = {
    'share ended by the owner': () => owner.delete(`/devices/${device.id}/shares/${share.id}`),
    'share left by its holder': () => holder.delete(`/devices/${device.id}/shares/${share.id}`),
    'share changed to view': () => owner.put(`/devices/${device.id}/shares/${share.id}`, { rights: 'view' }),
    'share of a group ended': () => owner.delete(`/users/me/groups/${group!.id}/shares/${group!.shareId}`),
    'share of a group changed to view': () =>
      owner.put(`/users/me/groups/${group!.id}/shares/${group!.shareId}`, { rights: 'view' }),
    'device taken out of a shared group': () =>
      owner.post(`/users/me/groups/${group!.below}/removeDevices`, { ids: [device.id] }),
    'shared group deleted': () => owner.delete(`/users/me/groups/${group!.id}`),
    'user demoted': () => admin.put(`/users/${holder.id}`, { admin: false }),
    'user deleted': () => admin.delete(`/users/${holder.id}`),
    async 'device deleted'() {
      isDeleted = true;
      return owner.delete(`/devices/${device.id}`);
    },
    async 'device claimed by another'() {
      const serial = `S-${device.id}`;
      await owner.put(`/devices/${device.id}`, { serial, claimable: 'yes' });
      const claimed = await api('POST', '/v2/users/claimDevice', { token: friend.token, body: { serial } });
      // News are seen to be out by what reaches the new owner.
      await friend.make(`/devices/${device.id}/forwarders`, ofOwner);
      return claimed;
    },
  };

  return {
    way,
    api,
    address,
    trackersPort,
    ends,
    admin,
    owner,
    holder,
    device,
    companion,
    groupId: group?.id,
    lastAnswer: () => answer!,
    async news() {
      // A device that is deleted stays where it was seen last, and the companion comes back to it.
      if (!isDeleted) round++;
      const lat = 50 + round / 10;
      const before = { owner: ends.at('owner').length, friend: ends.at('friend').length };
      accepted(await companion.report({ points: [fix(lat + 0.05)] }));
      answer = await device.report({ points: [fix(lat, { alertType: 8 })] });
      if (!isDeleted) accepted(answer);
      accepted(await signpost.report({ points: [fix(lat)] }));
      accepted(await companion.report({ points: [fix(lat)] }));
      await eventually('the friend is notified', () => ends.at('friend').length > before.friend);
      if (!isDeleted) await eventually('the owner is notified', () => ends.at('owner').length > before.owner);
    },
    async talk() {
      // The same message again would be taken for the same report, sent twice.
      const messages = [{ message: `hello ${++said}` }];
      accepted(await device.report({ messages }));
      accepted(await companion.report({ messages }));
    },
    async end() {
      const { status, text } = await WAY[way]();
      assert.ok(status === 200 || status === 204, text);
    },
  };
}

/** A group that is shared; the device is in a group below it. */
async function sharedGroup(owner: Voice, deviceId: number, share: object) {
  const { id } = await owner.make('/users/me/groups', { name: 'fleet' });
  const { id: below } = await owner.make('/users/me/groups', { name: 'vans', parentId: id });
  await owner.make(`/users/me/groups/${below}/addDevices`, { ids: [deviceId] });
  const { id: shareId } = await owner.make(`/users/me/groups/${id}/shares`, share);
  return { id: id as number, below: below as number, shareId: shareId as number };
}
