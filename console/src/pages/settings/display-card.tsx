import { type Preferences, prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { FieldStack, NumberField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { Units } from '../../units.ts';
import css from './settings.module.css';

const words = t.settings;

/** How this browser shows things; every choice is seen at once. */
export function DisplayCard() {
  const { theme, offlineAfterMin } = usePreferences();
  return (
    <Card title={words.display}>
      <FieldStack>
        <p className={css.soft}>{words.displayHint}</p>
        <div className={css.choice}>
          <span aria-hidden="true">{words.theme}</span>
          <Segmented<Preferences['theme']>
            label={words.theme}
            value={theme}
            onChange={(one) => prefer({ theme: one })}
            choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: words.themes[value] }))}
          />
        </div>
        <UnitChoice quantity="distance" choices={['metric', 'imperial']} />
        <UnitChoice quantity="length" choices={['metric', 'imperial']} />
        <UnitChoice quantity="temperature" choices={['celsius', 'fahrenheit']} />
        <NumberField
          label={words.offlineAfter}
          unit={words.minutes}
          value={offlineAfterMin}
          onChange={(minutes) => minutes !== null && minutes >= 1 && prefer({ offlineAfterMin: minutes })}
          min={1}
          max={100_000}
          step={1}
        />
      </FieldStack>
    </Card>
  );
}

/** One unit, chosen without the others. */
function UnitChoice<Q extends keyof Units>({ quantity, choices }: { quantity: Q; choices: readonly Units[Q][] }) {
  const { units } = usePreferences();
  const label = words.unitOf[quantity];
  const names: Readonly<Record<string, string>> = words.unitNames[quantity];
  return (
    <div className={css.choice}>
      <span aria-hidden="true">{label}</span>
      <Segmented<Units[Q]>
        label={label}
        value={units[quantity]}
        onChange={(one) => prefer({ units: { ...units, [quantity]: one } })}
        choices={choices.map((value) => ({ value, label: names[value]! }))}
      />
    </div>
  );
}
