/** What the nine operations need: a device with a reading and a trigger, and a user with a plan. */

export interface World {
  /** Where version 1 is: http://127.0.0.1:PORT/api. */
  readonly base: string;
  readonly token: string;
  readonly userId: number;
  readonly deviceId: number;
  readonly readingId: number;
  readonly triggerId: number;
}

export async function makeWorld(address: string, admin: { email: string; password: string }): Promise<World> {
  const base = `${address}/api`;
  const { id: token, userId } = await post(base, '/users/login', admin);
  const make = async (path: string, body: object) => (await post(base, path, body, token as string)).id as number;
  const deviceId = await make('/devices', { name: 'Gateway' });
  const readingId = await make(`/devices/${deviceId}/gatewayReadings`, {
    type: 'temp',
    value: 4.5,
    sensorDeviceId: 'AA:BB:CC:DD:EE:FF',
  });
  const triggerId = await make(`/devices/${deviceId}/notificationTriggers`, { type: 'newLoc' });
  const prices = { eur: [[1, 3]], tax: { eur: [[1, 0.6]], tax: { eur: [[1, 0.1]] } } };
  const planId = await make('/plans', { name: `standard-${deviceId}`, prices });
  await make(`/users/${userId}/plans`, { planId, count: 3 });
  return { base, token: token as string, userId: userId as number, deviceId, readingId, triggerId };
}

async function post(base: string, path: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: token }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json() as Promise<Record<string, unknown>>;
}
