import { t } from '../../texts/t.ts';
import { SelectField } from '../../ui/fields/field.tsx';

const words = t.settings;
const ZONES = Intl.supportedValuesOf('timeZone');

/** Chooses a time zone; an empty text is none. */
export function ZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  // Browsers list one of several names of a zone.
  const zones = value === '' || ZONES.includes(value) ? ZONES : [value, ...ZONES];
  return (
    <SelectField
      label={words.timeZone}
      hint={words.timeZoneHint}
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: words.zoneUnset },
        ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
      ]}
    />
  );
}
