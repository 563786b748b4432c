import { Columns, Stack } from '../../../ui/page.tsx';
import { DriverCard } from '../driver/driver-card.tsx';
import { ModesCard } from '../modes/modes-card.tsx';
import type { SheetProps } from '../rights.ts';
import { TagsCard } from '../tags/tags-card.tsx';
import { VehicleCard } from '../vehicle/vehicle-card.tsx';
import { Identity } from './identity.tsx';
import { LastDays } from './last-days.tsx';
import { LastReadings } from './last-readings.tsx';
import { NearbyCard } from './nearby-card.tsx';
import { NowCard } from './now-card.tsx';

/** The overview of a device: position, readings, trips. */
export default function OverviewSheet({ device, rights }: SheetProps) {
  return (
    <Stack>
      <NowCard device={device} rights={rights} />
      <DriverCard deviceId={device.id} rights={rights} />
      <ModesCard device={device} rights={rights} />
      <LastReadings deviceId={device.id} />
      <NearbyCard deviceId={device.id} />
      <Columns>
        <LastDays deviceId={device.id} />
        <Stack>
          <VehicleCard device={device} rights={rights} />
          <Identity device={device} />
          <TagsCard device={device} rights={rights} />
        </Stack>
      </Columns>
    </Stack>
  );
}
