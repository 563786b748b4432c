import type { Texts } from '../translation.ts';

export const channels: Texts['channels'] = {
  push: {
    icon: 'bell',
    name: 'Browser-Push',
    hint: 'An jeden Browser, in dem Sie es eingeschaltet haben.',
    clause: () => 'erhalte ich eine Browser-Mitteilung',
  },
  email: {
    icon: 'mail',
    name: 'E-Mail',
    field: {
      label: 'An',
      hint: 'Leer: die Adresse Ihres Kontos. Eine andere Adresse wird zuerst per E-Mail gefragt.',
      type: 'email',
    },
    clause: (address) => (address ? `geht eine E-Mail an ${address}` : 'erhalte ich eine E-Mail'),
  },
  http: {
    icon: 'link',
    name: 'Webhook',
    field: {
      label: 'Webhook-URL',
      hint: 'Zum Beispiel https://example.org/trackway. Anfragen werden signiert.',
      type: 'url',
    },
    clause: (address) =>
      URL.canParse(address)
        ? `wird der Webhook bei ${new URL(address).host} aufgerufen`
        : 'wird ein Webhook aufgerufen',
    forwarder: {
      name: 'Webhook',
      hint: 'Sendet jeden Eintrag mit Signatur an eine URL.',
      target: 'URL',
      targetHint: 'https://example.org/trackway',
    },
  },
  sqs: {
    icon: 'list',
    name: 'SQS-Warteschlange',
    field: { label: 'ARN der Warteschlange', hint: 'arn:aws:sqs:region:account:name', type: 'text' },
    clause: (address) =>
      address ? `geht es an die SQS-Warteschlange ${address.split(':').at(-1)}` : 'geht es an eine SQS-Warteschlange',
    forwarder: {
      name: 'SQS-Warteschlange',
      hint: 'Amazon SQS oder eine kompatible Warteschlange.',
      target: 'ARN der Warteschlange',
      targetHint: 'arn:aws:sqs:region:account:name',
    },
  },
  mqtt: {
    icon: 'signal',
    name: 'MQTT',
    hint: 'Wird beim Broker dieses Servers unter users/…/devices/…/notifications veröffentlicht.',
    clause: () => 'wird es über MQTT veröffentlicht',
    forwarder: {
      name: 'MQTT-Topic',
      hint: 'Veröffentlicht beim MQTT-Broker, mit dem dieser Server verbunden ist.',
      target: 'Topic',
      targetHint: 'Muss mit users/ und Ihrer Benutzer-ID beginnen. Leer: das übliche Topic.',
    },
  },
  telegram: {
    icon: 'message',
    name: 'Telegram',
    field: { label: 'Chat', hint: 'Die ID eines Chats mit dem Bot dieses Servers, oder @kanalname.', type: 'text' },
    clause: (address) => (address ? `geht es an ${address} bei Telegram` : 'geht es an einen Telegram-Chat'),
  },
};
