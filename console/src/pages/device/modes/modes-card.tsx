import { useState } from 'react';
import { type Mode, useDeleteMode } from '../../../api/commands.ts';
import type { Device } from '../../../api/devices.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icons.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Card } from '../../../ui/page.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { Rights } from '../rights.ts';
import { ModeDialog, type ModeKind } from './mode-dialog.tsx';
import { FLIGHT, modeInWords } from './mode-words.ts';
import css from './modes-card.module.css';
import { useModesNow } from './use-modes-now.ts';

const KINDS: Record<number, ModeKind> = { 0: 'wake', 1: 'sleep', 6: 'flight' };
const ICONS: Record<number, IconName> = { 0: 'sun', 1: 'moon', 6: 'radioOff' };

/** The current and requested modes of the device, and requesting one. */
export function ModesCard({ device, rights }: { device: Device; rights: Rights }) {
  const [asks, setAsks] = useState<{ kind: ModeKind; mode?: Mode }>();
  const modes = useModesNow(device.id);
  if (modes === undefined) return null;
  const { active, waiting } = modes;
  const isIdle = active === undefined && waiting.length === 0;
  if (isIdle && !rights.mayManage) return null;
  return (
    <Card
      title={t.deviceModes.title}
      actions={
        rights.mayManage && (
          <Menu
            label={t.deviceModes.choose}
            items={[
              { label: t.deviceModes.ask.sleep, icon: 'moon', onPress: () => setAsks({ kind: 'sleep' }) },
              { label: t.deviceModes.ask.wake, icon: 'sun', onPress: () => setAsks({ kind: 'wake' }) },
              { label: t.deviceModes.ask.flight, icon: 'radioOff', onPress: () => setAsks({ kind: 'flight' }) },
            ]}
            button={(props) => (
              <Button size="small" {...props}>
                {t.deviceModes.choose}
              </Button>
            )}
          />
        )
      }
    >
      {isIdle ? (
        <p className={css.soft}>{t.deviceModes.none}</p>
      ) : (
        <ul className={css.modes}>
          {active && <ActiveMode mode={active} />}
          {waiting.map((mode) => (
            <WaitingMode
              key={mode.id}
              mode={mode}
              mayManage={rights.mayManage}
              onChange={KINDS[mode.type] && (() => setAsks({ kind: KINDS[mode.type]!, mode }))}
            />
          ))}
        </ul>
      )}
      {asks && <ModeDialog deviceId={device.id} {...asks} onClose={() => setAsks(undefined)} />}
    </Card>
  );
}

const ModeIcon = ({ mode }: { mode: Mode }) => <Icon name={ICONS[mode.type] ?? 'clock'} size={20} />;

const ActiveMode = ({ mode }: { mode: Mode }) => (
  <li className={css.mode}>
    <ModeIcon mode={mode} />
    <div className={css.words}>
      <div className={css.name}>{modeInWords(mode)}</div>
      <div className={css.soft}>
        {t.deviceModes.confirmed} <Ago time={mode.sent!} />. {mode.type === FLIGHT && t.deviceModes.flightHint}
      </div>
    </div>
  </li>
);

function WaitingMode({
  mode,
  mayManage,
  onChange,
}: {
  mode: Mode;
  mayManage: boolean;
  onChange: (() => void) | undefined;
}) {
  const remove = useDeleteMode();
  const cancel = async () => {
    try {
      await remove.mutateAsync({ id: mode.deviceId, fk: mode.id });
      toast({ text: t.deviceModes.cancelled });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li className={css.mode}>
      <ModeIcon mode={mode} />
      <div className={css.words}>
        <div className={css.name}>
          {modeInWords(mode)} <Badge tone="warn">{t.deviceModes.waiting}</Badge>
        </div>
        <div className={css.soft}>
          {t.deviceModes.waitingHint} {mode.duration > 0 && t.deviceModes.countsFrom}
        </div>
      </div>
      {mayManage && (
        <div className={css.actions}>
          {onChange && (
            <Button size="small" kind="quiet" onClick={onChange}>
              {t.deviceModes.change}
            </Button>
          )}
          <Button size="small" kind="quiet" isBusy={remove.isPending} onClick={() => void cancel()}>
            {t.deviceModes.cancel}
          </Button>
        </div>
      )}
    </li>
  );
}
