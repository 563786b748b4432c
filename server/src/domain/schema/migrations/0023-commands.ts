import type { Migration } from '../../../platform/storage/migrations.ts';

/** Commands that change the mode of a device, and those of receivers of centimetre accuracy. */
export const commands: Migration = {
  name: '0023-commands',
  up: `
ALTER TABLE "deviceConfigs" ADD COLUMN "fwChannel" {text};

CREATE TABLE "transients" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "type" {integer} NOT NULL,
  "duration" {integer} NOT NULL,
  "triggeredAt" {time} NOT NULL,
  "sent" {time},
  "end" {time},
  "sms" {flag} NOT NULL,
  "messageId" {integer} REFERENCES "messages" ("id") ON DELETE SET NULL
);
CREATE INDEX "transients_deviceId" ON "transients" ("deviceId", "id");
CREATE INDEX "transients_messageId" ON "transients" ("messageId");
CREATE INDEX "transients_triggeredAt" ON "transients" ("triggeredAt");

CREATE TABLE "rtkStates" (
  "deviceId" {integer} PRIMARY KEY REFERENCES "devices" ("id") ON DELETE CASCADE,
  "status" {json},
  "base" {json},
  "ntrip" {json},
  "ntripPassword" {text},
  "ntripMessageId" {integer}
);

CREATE TABLE "rtkCommands" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "messageId" {integer} NOT NULL,
  "commandType" {integer} NOT NULL,
  "created" {time} NOT NULL,
  "sent" {time},
  "receivedAck" {time},
  "payload" {text},
  "response" {text},
  "waitingId" {integer} REFERENCES "messages" ("id") ON DELETE SET NULL
);
CREATE UNIQUE INDEX "rtkCommands_messageId" ON "rtkCommands" ("deviceId", "messageId");
CREATE INDEX "rtkCommands_waitingId" ON "rtkCommands" ("waitingId");
CREATE INDEX "rtkCommands_created" ON "rtkCommands" ("created");

CREATE TABLE "rtkLogs" (
  "id" {id},
  "deviceId" {integer} NOT NULL REFERENCES "devices" ("id") ON DELETE CASCADE,
  "timestamp" {time} NOT NULL,
  "msgType" {text},
  "baseStationId" {integer},
  "locationType" {text},
  "accuracy" {number},
  "lat" {number},
  "lng" {number},
  "linkQuality" {number},
  "toAddress" {text},
  "fromAddress" {text},
  "info" {text},
  "hash" {text}
);
CREATE INDEX "rtkLogs_deviceId" ON "rtkLogs" ("deviceId", "id");
CREATE UNIQUE INDEX "rtkLogs_hash" ON "rtkLogs" ("deviceId", "hash");
`,
};
