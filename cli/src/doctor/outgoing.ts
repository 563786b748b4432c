import { whyNoMail } from '@trackway/server/edge/channels/email.ts';
import { NO_BROKER } from '@trackway/server/edge/channels/mqtt.ts';
import { hasCredentials, NO_CREDENTIALS } from '@trackway/server/edge/channels/sqs-credentials.ts';
import { isWithin, parseAddress, parseRanges } from '@trackway/server/platform/egress/ip.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

/** What leaves the house: which ways out are set up, and how far they reach. Nothing is sent. */
export function checkOutgoing(settings: Settings, environment = process.env): Finding[] {
  return [checkMail(settings), checkQueues(settings, environment), checkBroker(settings), ...checkTargets(settings)];
}

function checkMail({ smtpUrl, smtpFrom }: Settings): Finding {
  const missing = whyNoMail({ url: smtpUrl, from: smtpFrom });
  if (missing === undefined) return ok('Mail is sent by the server of TRACKWAY_SMTP_URL.');
  return smtpUrl === '' ? ok(`${missing} Until then nobody gets mail.`) : warn(missing);
}

function checkQueues({ sqsAllow, sqsEndpoint }: Settings, environment: typeof process.env): Finding {
  if (!hasCredentials(environment)) return sqsEndpoint === '' ? ok(NO_CREDENTIALS) : warn(NO_CREDENTIALS);
  const isAny = sqsAllow.split(/[\s,]+/).includes('*');
  return isAny
    ? warn(
        'Users may forward to every queue that your AWS credentials can write to: name the queues in TRACKWAY_SQS_ALLOW.',
      )
    : ok(`Users may forward to queues like ${sqsAllow}.`);
}

const checkBroker = ({ mqttUrl }: Settings): Finding =>
  ok(mqttUrl === '' ? NO_BROKER : 'Messages are published to the broker of TRACKWAY_MQTT_URL.');

/** From these a cloud gives credentials to whoever asks from within, and a machine what is meant for itself alone. */
const DELICATE = ['169.254.169.254', '127.0.0.1', '::1', 'fd00:ec2::254'];

function checkTargets({ allowTargets }: Settings): Finding[] {
  const { ranges } = parseRanges(allowTargets);
  if (ranges.length === 0) return [ok('Webhooks reach public addresses only.')];
  const delicate = DELICATE.filter((address) => ranges.some((range) => isWithin(parseAddress(address)!, range)));
  if (delicate.length === 0) return [ok(`Webhooks reach public addresses and ${allowTargets}.`)];
  return [
    warn(
      `TRACKWAY_ALLOW_TARGETS lets every user have ${delicate.join(' and ')} called by this server: allow only what webhooks need.`,
    ),
  ];
}
