import {
  createGeofence,
  createMessage,
  getDeviceConfig,
  getGatewayReading,
  listGeofences,
  setupSqsForwarding,
  summarizePlans,
  updateGatewayReading,
  updateNotificationTrigger,
} from '../work/orval.ts';
import { check, FENCE, QUEUE, world } from './nine.ts';

const { token, userId, deviceId, readingId, triggerId } = world;
const signed = { headers: { Authorization: token } };

const reading = await getGatewayReading(deviceId, readingId, signed);
check(
  1,
  'getGatewayReading',
  reading.status === 200 && reading.data.sensorDeviceId === 'AA:BB:CC:DD:EE:FF',
  reading.data,
);

const forwarding = await setupSqsForwarding(deviceId, { sqsArn: QUEUE, types: ['newLoc', 'newReading'] }, signed);
check(2, 'setupSqsForwarding', forwarding.status === 200 && forwarding.data.status === 'ok', forwarding.data);

const config = await getDeviceConfig(deviceId, undefined, signed);
check(3, 'getDeviceConfig', config.status === 200 && config.data.interval === 300, config.data);

const changed = await updateGatewayReading(deviceId, readingId, { value: 5.5 }, signed);
check(4, 'updateGatewayReading', changed.status === 200 && changed.data.value === 5.5, changed.data);

const fence = await createGeofence('me', FENCE, signed);
if (fence.status !== 200) throw new Error(JSON.stringify(fence.data));
check(5, 'createGeofence', fence.data.center?.lat === FENCE.center.lat && fence.data.userId === userId, fence.data);

const plans = await summarizePlans(String(userId), undefined, signed);
check(
  6,
  'summarizePlans',
  plans.status === 200 && plans.data[0]?.plan.prices?.tax?.tax?.eur?.[0]?.[1] === 0.1,
  plans.data,
);

const trigger = await updateNotificationTrigger(deviceId, triggerId, { muteFor: 60 }, signed);
check(7, 'updateNotificationTrigger', trigger.status === 200 && trigger.data.muteFor === 60, trigger.data);

const fences = await listGeofences('me', { filter: JSON.stringify({ where: { id: fence.data.id } }) }, signed);
check(8, 'listGeofences', fences.status === 200 && fences.data[0]?.name === 'Depot', fences.data);

const message = await createMessage(deviceId, { message: 'Hello' }, signed);
check(9, 'createMessage', message.status === 200 && message.data.message === 'Hello', message.data);
