import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Version } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** The operations of the published service: its clients find every one of them here. */
const PUBLISHED: Record<Version, readonly string[]> = {
  v1: [
    'POST /devices/changeTags',
    'GET /devices/{id}',
    'GET /devices/{id}/config',
    'PUT /devices/{id}/config',
    'GET /devices/{id}/deactivate',
    'GET /devices/{id}/flightMode',
    'GET /devices/{id}/gatewayReadings/{fk}',
    'PUT /devices/{id}/gatewayReadings/{fk}',
    'DELETE /devices/{id}/gatewayReadings/{fk}',
    'GET /devices/{id}/getRecentRtkLogs',
    'GET /devices/{id}/getRtkCommand',
    'GET /devices/{id}/getRtkStatus',
    'GET /devices/{id}/getSafeZone',
    'GET /devices/{id}/messages',
    'POST /devices/{id}/messages',
    'DELETE /devices/{id}/messages',
    'GET /devices/{id}/nearbyDeviceData',
    'GET /devices/{id}/nearbyDevices',
    'GET /devices/{id}/notificationTriggers',
    'POST /devices/{id}/notificationTriggers',
    'DELETE /devices/{id}/notificationTriggers',
    'GET /devices/{id}/notificationTriggers/{fk}',
    'PUT /devices/{id}/notificationTriggers/{fk}',
    'DELETE /devices/{id}/notificationTriggers/{fk}',
    'GET /devices/{id}/points',
    'GET /devices/{id}/points/{fk}',
    'DELETE /devices/{id}/points/{fk}',
    'GET /devices/{id}/queueRtkCmd_AlertNow',
    'GET /devices/{id}/queueRtkCmd_AlertWithPrompt',
    'GET /devices/{id}/queueRtkCmd_RebootRtk',
    'GET /devices/{id}/queueRtkCmd_SetPointBufferSize',
    'GET /devices/{id}/queueRtkCmd_UpdateRateMs',
    'GET /devices/{id}/readings',
    'GET /devices/{id}/readings/{fk}',
    'DELETE /devices/{id}/readings/{fk}',
    'GET /devices/{id}/setMetaItem',
    'GET /devices/{id}/setNtripSettings',
    'POST /devices/{id}/setSafeZone',
    'GET /devices/{id}/setupSqsForwarding',
    'GET /devices/{id}/transients',
    'GET /devices/{id}/transients/{fk}',
    'PUT /devices/{id}/transients/{fk}',
    'DELETE /devices/{id}/transients/{fk}',
    'GET /devices/{id}/updateRtkBaseStatus',
    'POST /reports/activity',
    'POST /reports/vehicle-summary',
    'POST /users/login',
    'GET /users/{id}/devices',
    'GET /users/{id}/geofences',
    'POST /users/{id}/geofences',
    'DELETE /users/{id}/geofences',
    'GET /users/{id}/geofences/{fk}',
    'PUT /users/{id}/geofences/{fk}',
    'DELETE /users/{id}/geofences/{fk}',
    'GET /users/{id}/getDevicesByTag',
    'GET /users/{id}/getDevicesInZone',
    'GET /users/{id}/getDeviceSummary',
    'GET /users/{id}/getRecentActivity',
  ],
  v2: [
    'GET /chasm/ws',
    'GET /chasm/ws/{device}',
    'GET /devices',
    'PUT /devices/plan',
    'GET /devices/plans',
    'GET /devices/{id}/firmware/current',
    'GET /devices/{id}/firmware/update',
    'POST /devices/{id}/firmware/update',
    'DELETE /devices/{id}/firmware/update',
    'GET /devices/{id}/plan',
    'PUT /devices/{id}/plan',
    'DELETE /devices/{id}/plan',
    'GET /devices/{id}/tags',
    'GET /devices/{id}/tags/{name}',
    'PUT /devices/{id}/tags/{name}',
    'DELETE /devices/{id}/tags/{name}',
    'GET /devices/{id}/timeline/{type}',
    'POST /users/buyPlans',
    'POST /users/claimDevice',
    'POST /users/login',
    'POST /users/logout',
    'GET /users/personalAccessTokens',
    'POST /users/personalAccessTokens',
    'DELETE /users/personalAccessTokens/{id}',
    'GET /users/plans',
    'GET /users/plans/summary',
    'POST /users/refreshToken',
    'GET /users/{userid}/geofenceLists',
    'PUT /users/{userid}/geofenceLists',
    'GET /users/{userid}/geofenceLists/{listid}',
    'DELETE /users/{userid}/geofenceLists/{listid}',
    'POST /users/{userid}/geofenceLists/{listid}/share',
    'PUT /users/{userid}/geofenceLists/{listid}/user/{targetid}',
    'DELETE /users/{userid}/geofenceLists/{listid}/user/{targetid}',
    'GET /users/{userid}/geofences',
    'PUT /users/{userid}/geofences',
    'GET /users/{userid}/geofences/{fenceid}',
    'DELETE /users/{userid}/geofences/{fenceid}',
    'DELETE /users/{userid}/geofences/{fenceid}/list',
    'PUT /users/{userid}/geofences/{fenceid}/list/{listid}',
    'GET /users/{userid}/plans',
    'GET /users/{userid}/plans/summary',
  ],
};
/** Web sockets are no operations with an answer. */
const SOCKETS = ['GET /chasm/ws', 'GET /chasm/ws/{device}'];

for (const version of ['v1', 'v2'] as const) {
  test(`every published operation of ${version} is there`, () => {
    const served = new Set(
      Object.values(OPERATIONS)
        .filter(({ versions }) => versions.includes(version))
        .map(({ method, path }) => `${method} ${unnamed(path)}`),
    );
    const missing = PUBLISHED[version].filter((one) => !served.has(unnamed(one)) && !SOCKETS.includes(one));
    assert.deepEqual(missing, []);
  });
}

/** The names of parameters are ours, their places are published. */
function unnamed(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}
