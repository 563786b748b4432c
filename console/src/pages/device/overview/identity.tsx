import type { Device } from '../../../api/devices.ts';
import { date, dateTime } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Card, Facts } from '../../../ui/page.tsx';

/** The identifiers of the device. */
export const Identity = ({ device }: { device: Device }) => (
  <Card title={t.device.identity}>
    <Facts
      facts={[
        [t.device.id, device.id],
        [t.device.imei, device.imei],
        [t.device.serial, device.serial],
        [t.device.iccid, device.iccid],
        [t.device.btMac, device.btMacAddress],
        [t.device.loraId, device.loraId],
        [t.device.firstSeen, dateTime(device.firstSeen)],
        [t.device.plan, device.expires && date(device.expires)],
      ]}
    />
  </Card>
);
