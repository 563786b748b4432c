import createClient from 'openapi-fetch';
import type { paths } from '../work/openapi-typescript.d.ts';
import { check, FENCE, QUEUE, world } from './nine.ts';

const { base, token, userId, deviceId: id, readingId, triggerId } = world;
const client = createClient<paths>({ baseUrl: base, headers: { Authorization: token } });

const reading = await client.GET('/devices/{id}/gatewayReadings/{fk}', { params: { path: { id, fk: readingId } } });
check(1, 'getGatewayReading', reading.data?.sensorDeviceId === 'AA:BB:CC:DD:EE:FF', reading);

const forwarding = await client.GET('/devices/{id}/setupSqsForwarding', {
  params: { path: { id }, query: { sqsArn: QUEUE, types: ['newLoc', 'newReading'] } },
});
check(2, 'setupSqsForwarding', forwarding.data?.status === 'ok', forwarding);

const config = await client.GET('/devices/{id}/config', { params: { path: { id } } });
check(3, 'getDeviceConfig', config.data?.deviceId === id && config.data.interval === 300, config);

const changed = await client.PUT('/devices/{id}/gatewayReadings/{fk}', {
  params: { path: { id, fk: readingId } },
  body: { value: 5.5 },
});
check(4, 'updateGatewayReading', changed.data?.value === 5.5 && changed.data.type === 'temp', changed);

const fence = await client.POST('/users/{id}/geofences', { params: { path: { id: 'me' } }, body: FENCE });
check(5, 'createGeofence', fence.data?.center?.lat === FENCE.center.lat && fence.data.userId === userId, fence);

const plans = await client.GET('/users/{userid}/plans/summary', { params: { path: { userid: String(userId) } } });
const tax: number | undefined = plans.data?.[0]?.plan.prices?.tax?.tax?.eur?.[0]?.[1];
check(6, 'summarizePlans', tax === 0.1, plans);

const trigger = await client.PUT('/devices/{id}/notificationTriggers/{fk}', {
  params: { path: { id, fk: triggerId } },
  body: { muteFor: 60 },
});
check(7, 'updateNotificationTrigger', trigger.data?.muteFor === 60 && trigger.data.type === 'newLoc', trigger);

const fences = await client.GET('/users/{id}/geofences', {
  params: { path: { id: 'me' }, query: { filter: JSON.stringify({ where: { id: fence.data!.id } }) } },
});
check(8, 'listGeofences', fences.data?.length === 1 && fences.data[0]?.name === 'Depot', fences);

const message = await client.POST('/devices/{id}/messages', { params: { path: { id } }, body: { message: 'Hello' } });
check(9, 'createMessage', message.data?.message === 'Hello' && message.data.sent === null, message);
