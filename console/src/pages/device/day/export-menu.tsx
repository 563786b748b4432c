import { EXPORT_FORMATS, type ExportFormat } from '@trackway/contract/resources/trip.ts';
import { useState } from 'react';
import type { Device } from '../../../api/devices.ts';
import type { Span } from '../../../map/track/playback.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { nameOf } from '../name-of.ts';
import { rangeOf } from './day-range.ts';
import { fileNameOf } from './file-name.ts';
import { saveTrack } from './save-track.ts';

/** Downloads the positions of the day, or of the selected trip. */
export function ExportMenu({ device, span, isTrip }: { device: Device; span: Span; isTrip: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (format: ExportFormat) => {
    setBusy(true);
    try {
      await saveTrack(device.id, rangeOf(span), format, fileNameOf(nameOf(device), span, isTrip));
    } catch (error) {
      toast({ text: `${t.deviceDay.exportFailed}: ${problemOf(error)}`, tone: 'danger' });
    }
    setBusy(false);
  };
  return (
    <Menu
      label={isTrip ? t.deviceDay.exportWhat.trip : t.deviceDay.exportWhat.day}
      items={EXPORT_FORMATS.map((format) => ({
        label: t.deviceDay.exportAs[format],
        icon: 'download',
        onPress: () => void save(format),
      }))}
      button={(props) => (
        <Button icon="download" shrinks isBusy={isBusy} {...props}>
          {isTrip ? t.deviceDay.exportWhat.trip : t.deviceDay.exportWhat.day}
        </Button>
      )}
    />
  );
}
