import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { Loaded, Notice } from '../../ui/states.tsx';
import { NetworkSwitch } from './network-switch.tsx';
import { phoneAddresses, phoneAddressIn } from './phone-address.ts';
import css from './ways.module.css';

const words = t.phoneAddress;
const OTHER = 'other';

/** Finds the address that a phone is given, and shows what is made of it. Without one it says what to do instead. */
export function PhoneBase({
  fallback,
  children,
}: {
  /** Used where no other address is known. */
  fallback?: string;
  children: (base: string) => ReactNode;
}) {
  const query = useRead('getReach', {});
  return (
    <Loaded query={query} lines={4}>
      {(reach) => {
        const known = phoneAddresses(reach.addresses, location.origin);
        return (
          <>
            <div className={css.way}>
              {reach.localNetwork === 'off' && known.length === 0 && <Notice tone="warn">{words.localOnly}</Notice>}
              {reach.localNetwork !== 'proxy' && <NetworkSwitch reach={reach} />}
            </div>
            {/* Remounted if the server has other addresses than before. */}
            <Chosen key={known.join(' ')} known={known} isLocalOnly={reach.localNetwork === 'off'} fallback={fallback}>
              {children}
            </Chosen>
          </>
        );
      }}
    </Loaded>
  );
}

/** Warns that no phone could use the server yet before a key is created, because the key is shown once. */
export function PhoneHint() {
  const reach = useRead('getReach', {}).data;
  const isOut = reach?.localNetwork === 'off' && phoneAddresses(reach.addresses, location.origin).length === 0;
  const [wasOut, setWasOut] = useState(false);
  if (isOut && !wasOut) setWasOut(true);
  if (reach === undefined || !wasOut) return null;
  return (
    <>
      {isOut && <Notice>{words.localOnly}</Notice>}
      <NetworkSwitch reach={reach} />
    </>
  );
}

function Chosen({
  known,
  isLocalOnly,
  fallback,
  children,
}: {
  known: readonly string[];
  isLocalOnly: boolean;
  fallback: string | undefined;
  children: (base: string) => ReactNode;
}) {
  const { address } = usePreferences();
  const [isOther, setOther] = useState(known.length === 0 || (address !== undefined && !known.includes(address)));
  const [typed, setTyped] = useState(isOther ? (address ?? '') : '');
  const chosen = isOther ? OTHER : (known.find((url) => url === address) ?? known[0]!);
  const choose = (value: string) => {
    setOther(value === OTHER);
    if (value !== OTHER) prefer({ address: value });
  };
  const type = (text: string) => {
    setTyped(text);
    const usable = phoneAddressIn(text);
    if (usable !== undefined) prefer({ address: usable });
  };
  const entered = chosen === OTHER ? phoneAddressIn(typed) : chosen;
  const base = entered ?? fallback;
  const choices = [...known.map((url) => ({ value: url, label: url })), { value: OTHER, label: words.other }];
  return (
    <>
      <div className={css.way}>
        {known.length === 0 ? (
          !isLocalOnly && <Notice tone="warn">{words.unknown}</Notice>
        ) : (
          <SelectField label={words.label} hint={words.hint} value={chosen} onChange={choose} choices={choices} />
        )}
        {chosen === OTHER && !(known.length === 0 && isLocalOnly) && (
          <TextField
            label={words.otherLabel}
            placeholder={words.otherPlaceholder}
            type="url"
            value={typed}
            onChange={type}
            maxLength={300}
            problem={typed !== '' && entered === undefined ? words.invalid : undefined}
          />
        )}
      </div>
      {base !== undefined && children(base)}
    </>
  );
}
