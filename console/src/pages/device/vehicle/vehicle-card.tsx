import { useState } from 'react';
import { useVehicle, useVehiclePhoto } from '../../../api/fleet-tools/vehicles.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, Facts, Stack } from '../../../ui/page.tsx';
import type { SheetProps } from '../rights.ts';
import css from './vehicle.module.css';
import { VehicleForm } from './vehicle-form.tsx';

const words = t.vehicle;

/** The vehicle that the device is in. */
export function VehicleCard({ device, rights }: Pick<SheetProps, 'device' | 'rights'>) {
  const vehicle = useVehicle(device.id).data;
  const photo = useVehiclePhoto(device.id, vehicle?.hasPhoto === true);
  const format = useFormat();
  const [isEditing, setEditing] = useState(false);
  if (vehicle === undefined) return null;
  const { plate, vin, odometer, hasPhoto } = vehicle;
  const isEmpty = plate === null && vin === null && odometer === null && !hasPhoto;
  if (isEmpty && !rights.mayManage) return null;
  return (
    <Card
      title={words.title}
      {...(rights.mayManage && {
        actions: (
          <Button size="small" icon="edit" onClick={() => setEditing(true)}>
            {words.editTitle}
          </Button>
        ),
      })}
    >
      <Stack>
        {hasPhoto && photo && (
          <img className={css.photo} src={photo} alt={words.photoOf({ name: device.name ?? '' })} />
        )}
        {isEmpty ? (
          <p>{words.none}</p>
        ) : (
          <Facts
            facts={[
              [words.plate, plate],
              [words.vin, vin],
              [words.odometer, odometer !== null && format.distance(odometer * 1000)],
            ]}
          />
        )}
      </Stack>
      {isEditing && <VehicleForm device={device} vehicle={vehicle} onClose={() => setEditing(false)} />}
    </Card>
  );
}
