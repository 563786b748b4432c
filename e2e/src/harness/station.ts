import assert from 'node:assert/strict';
import type { Client } from '@trackway/client/client.ts';
import type { Answer } from './answer.ts';
import type { Api } from './api.ts';
import { clientOf } from './checked-client.ts';
import { adminOf, makePerson, type Person } from './people.ts';

/** Someone at the API with their token, under the base address of version 1. */
export interface Voice extends Person {
  /** Operations by name, which must succeed. */
  readonly client: Client;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** A POST that must succeed: what it made. */
  // biome-ignore lint/suspicious/noExplicitAny: the contract check of every answer knows its type.
  make(path: string, body?: unknown): Promise<any>;
}

export function voiceOf(api: Api, person: Person): Voice {
  const say = (method: string) => (path: string, body?: unknown) =>
    api(method, `/api${path}`, { token: person.token, body });
  const post = say('POST');
  return {
    ...person,
    client: clientOf(api, person.token),
    get: say('GET'),
    post,
    put: say('PUT'),
    delete: say('DELETE'),
    async make(path, body = {}) {
      const answer = await post(path, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
  };
}

/** An admin, an owner with a device, and somebody else with one. */
export interface Station {
  readonly admin: Voice;
  readonly owner: Voice;
  readonly other: Voice;
  readonly device: number;
  readonly otherDevice: number;
}

export async function makeStation(api: Api): Promise<Station> {
  const admin = voiceOf(api, await adminOf(api));
  const owner = voiceOf(api, await makePerson(api, admin, 'owner'));
  const other = voiceOf(api, await makePerson(api, admin, 'other'));
  const device = await owner.client.createDevice({ body: { name: 'gateway' } });
  const otherDevice = await other.client.createDevice({ body: { name: 'elsewhere' } });
  return { admin, owner, other, device: device.id, otherDevice: otherDevice.id };
}
