import { whyNoMail } from '@trackway/server/edge/channels/email.ts';
import { NO_BROKER } from '@trackway/server/edge/channels/mqtt.ts';
import { hasCredentials, NO_CREDENTIALS } from '@trackway/server/edge/channels/sqs-credentials.ts';
import { isWithin, parseAddress, parseRanges } from '@trackway/server/platform/egress/ip.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks which channels are configured, and which targets they can reach. Nothing is sent. */
export function checkOutgoing(settings: Settings, environment = process.env): Finding[] {
  return [checkMail(settings), checkQueues(settings, environment), checkBroker(settings), ...checkTargets(settings)];
}

function checkMail({ smtpUrl, smtpFrom }: Settings): Finding {
  const missing = whyNoMail({ url: smtpUrl, from: smtpFrom });
  if (missing === undefined) return ok('E-mail is sent by the server in TRACKWAY_SMTP_URL.');
  return smtpUrl === '' ? ok(`${missing} Until then, no e-mail is sent.`) : warn(missing);
}

function checkQueues({ sqsAllow, sqsEndpoint }: Settings, environment: typeof process.env): Finding {
  if (!hasCredentials(environment)) return sqsEndpoint === '' ? ok(NO_CREDENTIALS) : warn(NO_CREDENTIALS);
  const isAny = sqsAllow.split(/[\s,]+/).includes('*');
  return isAny
    ? warn(
        'Users can forward data to every queue that your AWS credentials can write to. List the allowed queues in TRACKWAY_SQS_ALLOW.',
      )
    : ok(`Users can forward data to the queues ${sqsAllow}.`);
}

const checkBroker = ({ mqttUrl }: Settings): Finding =>
  ok(mqttUrl === '' ? NO_BROKER : 'Messages are published to the broker in TRACKWAY_MQTT_URL.');

/** Cloud metadata services, which hand out credentials, and loopback, where local-only services listen. */
const SENSITIVE = ['169.254.169.254', '127.0.0.1', '::1', 'fd00:ec2::254'];

function checkTargets({ allowTargets }: Settings): Finding[] {
  const { ranges } = parseRanges(allowTargets);
  if (ranges.length === 0) return [ok('Webhooks can reach public addresses only.')];
  const sensitive = SENSITIVE.filter((address) => ranges.some((range) => isWithin(parseAddress(address)!, range)));
  if (sensitive.length === 0) return [ok(`Webhooks can reach public addresses and ${allowTargets}.`)];
  return [
    warn(
      `TRACKWAY_ALLOW_TARGETS lets every user make this server call ${sensitive.join(' and ')}. Allow only the addresses that webhooks need.`,
    ),
  ];
}
