import { mosquittoPlace } from '../server/src/edge/channels/testing/mosquitto-end.ts';
import { havePackage } from './debian-package.ts';

/** Installs the broker that the tests of MQTT use besides Aedes, if possible; otherwise those tests are skipped. */
export const haveMosquitto = (): Promise<void> =>
  havePackage(
    'mosquitto',
    () => mosquittoPlace() !== undefined,
    'NOTHING IS TESTED WITH MOSQUITTO: it is missing. Install the package `mosquitto` (apt-get install mosquitto).',
  );
