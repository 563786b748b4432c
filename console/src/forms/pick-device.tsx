import { type ReactNode, useState } from 'react';
import { useDevices } from '../api/devices.ts';
import { useNamedDevice } from '../api/named-device.ts';
import { t } from '../texts/t.ts';
import { ColorDot } from '../ui/badge.tsx';
import { type ComboChoice, ComboField } from '../ui/fields/combo-field.tsx';

const MOST = 20;

/** Selects one of the viewer's devices by name. */
export function PickDevice({
  label,
  hint,
  problem,
  hidesLabel,
  placeholder,
  deviceId,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  problem?: string;
  hidesLabel?: boolean;
  placeholder?: string;
  deviceId: number | undefined;
  onChange: (deviceId: number | undefined) => void;
}) {
  const [query, setQuery] = useState('');
  const found = useDevices(
    { ...(query.trim() && { where: { name: { ilike: containing(query.trim()) } } }), order: 'name ASC', limit: MOST },
    { keepsPrevious: true },
  );
  const { device } = useNamedDevice(deviceId);
  return (
    <ComboField
      {...{ label, hint, problem, hidesLabel, placeholder, query }}
      onQuery={setQuery}
      chosen={deviceId === undefined ? undefined : choiceOf(device ?? { id: deviceId, name: null, color: null })}
      onChange={(choice) => onChange(choice?.value)}
      choices={(found.data ?? []).map(choiceOf)}
      nothing={found.isPending ? t.ui.loading : t.triggers.nothingFound}
    />
  );
}

const choiceOf = ({ id, name, color }: { id: number; name: string | null; color: string | null }): ComboChoice => ({
  value: id,
  label: name ?? t.geofences.unnamedDevice({ id }),
  mark: <ColorDot color={color} />,
});

/** A pattern of the filter language, with its wildcards escaped. */
export const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
