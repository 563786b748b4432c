import type { SpanningStatements } from '../../platform/storage/placement.ts';

/**
 * Statements about rows of many devices, or of an unknown one: all others on tables of devices name their device. On a
 * PostgreSQL of several servers these are sent to all of them, so none may be on the path of a fix.
 */
export const SPANNING: readonly SpanningStatements[] = [
  {
    why: 'Timers of a node that has some of the slots.',
    form: 'hashint8\\(',
  },
  {
    why: 'What processes left behind is moved by another one.',
    tables: ['outboxRelay'],
    form: 'select distinct "deviceId" from',
  },
  {
    why: 'Vehicles are found by their plate.',
    tables: ['vehicles'],
    form: 'LOWER\\("plate"\\)',
  },
  {
    why: 'Lists over all devices of an account, and what goes with a user.',
    form: '"(userId|ownerId|holderId|email)" (=|in) ',
  },
  {
    why: 'Lists over all devices, which admins may see.',
    tables: ['devices'],
    form: '"deletedAt" IS NULL|"secret" is not null|"iccid" = ',
  },
  {
    why: 'A destination gets what all devices have for it, and a digest what all have for a user.',
    tables: ['outbox'],
    form: '',
  },
  {
    why: 'Clocks of a node that has all slots, and what is forgotten every hour, go by time.',
    form: '"(dueAt|checkAt|nextAt|touchedAt|recordedAt|created|forgetAt|expires|triggeredAt|deletedAt)" <=? ',
  },
  {
    why: 'Triggers that the clock decides, of a node that has all slots, and the recipients of notifications about another device.',
    tables: ['notificationTriggers', 'notifications', 'deviceStates', 'devices', 'shares', 'transients'],
    form: '"t"."type" = ',
  },
  {
    why: 'Trips to pack, and devices to compare with rules, are found in the order of devices.',
    tables: ['trips', 'ruleQueue'],
    form: '"track" is null|from "ruleQueue" order by',
  },
  {
    why: 'Quarantine is looked after by admins, for all devices and by reason.',
    tables: ['quarantine'],
    form: '',
  },
  {
    why: 'A rule, or a group, has devices of many slots.',
    tables: ['notificationTriggers', 'deviceGroupMembers', 'devices', 'ruleQueue', 'shares'],
    form: '"(ruleId|groupId)" (=|in) ',
  },
  {
    why: 'An address of the API names a row by its id alone, and the row then gives its device.',
    tables: ['notifications', 'historyImports', 'maintenanceTasks', 'forwarders', 'messages', 'shareGrants'],
    form: '"id" (=|in) ',
  },
  {
    why: 'A zone, or a task, a message or a driver that is deleted, is known by no device.',
    tables: ['deviceConfigs', 'maintenanceRecords', 'messages', 'rtkCommands', 'transients', 'driverSignOns'],
    form: '"(safeZoneId|taskId|queuedMessageId|messageId|replyId|driverId|id)" (=|in) ',
  },
  {
    why: 'Passwords and keys that are encrypted anew, and firmware versions that are searched for, on all devices.',
    tables: ['rtkStates', 'deviceConfigs'],
    form: '"ntripPassword" is not null|"currentFW"',
  },
  {
    why: 'Notifications are shown through a form of their table, whose columns have the names of the API.',
    tables: ['notifications'],
    form: 'AS "dismissedBy" FROM "notifications"',
  },
  {
    why: 'Events about another device are in the log of the device that they belong to.',
    tables: ['liveEvents', 'readingRelay'],
    form: '"otherDeviceId" = ',
  },
  {
    why: 'The live log is divided by slots. What it holds of a device is counted and deleted when the device is erased or claimed.',
    tables: ['liveEvents'],
    form: '^(select count\\(\\*\\) as "rows"|select "id"|delete) from "liveEvents" where "deviceId" = ',
  },
  {
    why: 'Positions are corrected and deleted by their ids.',
    tables: ['positions'],
    form: '"id" in \\(',
  },
  {
    why: 'Readings are stored with the device that reported them. Lists name the device they are about, the gateway or their ids.',
    tables: ['gatewayReadings', 'readingSegments'],
    form: '"(deviceId|gatewayId)" (=|in|is) |"id" (=|in|>) |MAX\\("id"\\)',
  },
  {
    why: 'What was found of fences of one device is brought to them by a node that has all slots.',
    tables: ['geofenceChecks'],
    form: 'from "geofenceChecks" where 1 = 1',
  },
  {
    why: 'Readings that a process left behind are evaluated by a node that has all slots.',
    tables: ['readingRelay'],
    form: 'from "readingRelay" where 1 = 1',
  },
  {
    why: 'Who acknowledged notifications is erased, of whatever device they are.',
    tables: ['notifications'],
    form: '"acknowledgedBy" = ',
  },
  {
    why: 'Devices with something to pack are found in the order of devices, by a node that has all slots.',
    tables: ['deviceStates'],
    form: '"importFrom" is null and "hasBacklog" = ',
  },
  {
    why: 'Nodes look for what other nodes asked of them.',
    tables: ['commandChannels'],
    form: '"node" = ',
  },
  {
    why: 'Months of packed positions are dropped once no device keeps them.',
    tables: ['deviceStates', 'devices', 'positionSegments'],
    form: 'NULLIF\\("keepDays", 0\\)|"segmentsAside"|octet_length\\(p."data"\\)',
  },
];
