import { Type } from 'typebox';
import { operation, SHOWN_ONCE } from '../../operation.ts';

/** Credentials for the MQTT broker, for programs that subscribe to the devices of a user. */
export const mqttCredentialOperations = {
  getMqttCredentials: operation('GET', '/users/{id}/getMqttCredentials', 'self', {
    summary: 'Get credentials for MQTT',
    description:
      'Creates credentials for the MQTT broker. They end with the session or token of this request, and after 90 days at the latest. A user has at most ten; a new one ends the oldest. They are listed with the sessions of the user, and can be ended there. A change of the password ends all of them.\n\nWhile a user has credentials, everything about the devices that are theirs or shared with them is published below `users/{userId}/devices/{deviceId}/`: positions to `datapoints`, readings to `readings`, and notifications of their triggers to `notifications`. With these credentials a program can subscribe below `users/{userId}/`, and publish nothing.\n\nResponds with 503 and the code `MQTT_NOT_CONFIGURED` on a server without a broker.',
    changes: true,
    answer: Type.Object(
      {
        clientId: Type.String({ description: 'Client id for the broker.' }),
        username: Type.String({ description: 'User name for the broker: `user-` and the id of the user.' }),
        password: Type.String({ description: 'Password for the broker. It is shown only once.', ...SHOWN_ONCE }),
        url: Type.String({ description: 'Address of the broker.', ...SHOWN_ONCE }),
      },
      { title: 'mqttCredentials' },
    ),
  }),
};
