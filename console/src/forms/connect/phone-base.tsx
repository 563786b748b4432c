import { type ReactNode, useState } from 'react';
import { readAnew, useRead } from '../../api/calls.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { Loaded, Notice } from '../../ui/states.tsx';
import { phoneAddresses, phoneAddressIn } from './phone-address.ts';
import css from './ways.module.css';

const words = t.phoneAddress;
const OTHER = 'other';

/** Finds the address that a phone is given, and shows what is made of it. Without one it says what to do instead. */
export function PhoneBase({ children }: { children: (base: string) => ReactNode }) {
  const query = useRead('getReach', {});
  return (
    <Loaded query={query} lines={4}>
      {({ addresses, isLocalOnly }) => (
        // Begun anew where the server has other addresses than before: it was started otherwise.
        <Chosen
          key={addresses.map(({ url }) => url).join(' ')}
          known={phoneAddresses(addresses, location.origin)}
          isLocalOnly={isLocalOnly}
        >
          {children}
        </Chosen>
      )}
    </Loaded>
  );
}

/** Says before a key is made, which is shown once, that no phone could use it yet. */
export function PhoneHint() {
  const reach = useRead('getReach', {}).data;
  const isOut = reach?.isLocalOnly && phoneAddresses(reach.addresses, location.origin).length === 0;
  return isOut ? <Notice>{words.first}</Notice> : null;
}

function Chosen({
  known,
  isLocalOnly,
  children,
}: {
  known: readonly string[];
  isLocalOnly: boolean;
  children: (base: string) => ReactNode;
}) {
  const [chosen, setChosen] = useState(known[0] ?? OTHER);
  const [typed, setTyped] = useState('');
  const base = chosen === OTHER ? phoneAddressIn(typed) : chosen;
  const choices = [...known.map((url) => ({ value: url, label: url })), { value: OTHER, label: words.other }];
  return (
    <>
      <div className={css.way}>
        {known.length === 0 ? (
          <>
            <Notice tone="warn">{isLocalOnly ? words.localOnly : words.unknown}</Notice>
            {isLocalOnly && (
              <>
                <p className={css.soft}>{words.keeps}</p>
                <div>
                  <Button icon="refresh" onClick={() => void readAnew(['getReach'])}>
                    {words.check}
                  </Button>
                </div>
              </>
            )}
          </>
        ) : (
          <SelectField label={words.label} hint={words.hint} value={chosen} onChange={setChosen} choices={choices} />
        )}
        {chosen === OTHER && !(known.length === 0 && isLocalOnly) && (
          <TextField
            label={words.otherLabel}
            placeholder={words.otherPlaceholder}
            type="url"
            value={typed}
            onChange={setTyped}
            maxLength={300}
            problem={typed !== '' && base === undefined ? words.invalid : undefined}
          />
        )}
      </div>
      {base !== undefined && children(base)}
    </>
  );
}
