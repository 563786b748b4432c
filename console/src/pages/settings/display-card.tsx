import { type Preferences, prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { FieldStack, NumberField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import css from './settings.module.css';

const words = t.settings;

/** Display settings of this browser, applied at once. */
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
