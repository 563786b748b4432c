import { prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import css from './ground.module.css';
import type { Ground } from './grounds.ts';

/** Selects the background of all maps in this browser. */
export function LayerSwitch({
  grounds,
  shown,
  hasSatellite,
  more = [],
}: {
  grounds: readonly Ground[];
  shown: string;
  hasSatellite: boolean;
  /** Other layers of this map. */
  more?: readonly MenuItem[];
}) {
  const { showsSatellite = false } = usePreferences();
  const items: MenuItem[] = grounds.map(({ key, label }) => ({
    label,
    isOn: key === shown,
    onPress: () => prefer({ ground: key }),
  }));
  if (hasSatellite)
    items.push({
      label: t.ground.satellite,
      isOn: showsSatellite,
      begins: true,
      onPress: () => prefer({ showsSatellite: !showsSatellite }),
    });
  items.push(...more.map((item, index) => ({ ...item, begins: index === 0 })));
  if (grounds.length === 1)
    items.push({ label: t.ground.choose, icon: 'settings', href: '/settings#map', begins: true });
  return (
    <div className={css.switch}>
      <Menu
        label={t.ground.layers}
        opens="up-right"
        items={items}
        button={(props) => <IconButton icon="layers" label={t.ground.layers} {...props} />}
      />
    </div>
  );
}
