import { useState } from 'react';
import { type DeviceConfig, useUpdateDeviceConfig } from '../../../api/device-config.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Stack } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { type ConfigDraft, type ConfigEditor, changed, type NumberName, problemWith } from './config-draft.ts';
import css from './config-form.module.css';
import {
  BehaviorSection,
  ContactSection,
  MovementSection,
  OrdersSection,
  PositionSection,
  WakeSection,
} from './config-sections.tsx';
import { TimedSection } from './config-timed.tsx';

/** The settings of the device. Nothing is sent before saving, and then only changes. */
export function ConfigForm({ config: saved, mayEdit }: { config: DeviceConfig; mayEdit: boolean }) {
  const update = useUpdateDeviceConfig();
  const [draft, setDraft] = useState<ConfigDraft>({});
  const config = { ...saved, ...draft } as DeviceConfig;
  const names = Object.keys(draft) as (keyof ConfigDraft)[];
  const isWrong = names.some((name) => {
    const value = config[name as NumberName];
    return (typeof value === 'number' || value === null) && problemWith(name as NumberName, value) !== undefined;
  });
  const editor: ConfigEditor = {
    config,
    mayEdit,
    isChanged: (name) => name in draft,
    set: (name, value) => setDraft((now) => changed(saved, now, name, value)),
  };
  const save = async () => {
    try {
      await update.mutateAsync({ id: saved.deviceId, body: draft });
      setDraft({});
      toast({ text: t.deviceConfig.saved, tone: 'good' });
    } catch {
      // The bar at the bottom shows the error.
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) void save();
      }}
    >
      <fieldset disabled={!mayEdit} className={css.all}>
        <Stack>
          <div className={css.pairs}>
            <ContactSection {...editor} />
            <WakeSection {...editor} />
            <MovementSection {...editor} />
            <PositionSection {...editor} />
          </div>
          <BehaviorSection {...editor} />
          <TimedSection {...editor} />
          <OrdersSection {...editor} />
        </Stack>
      </fieldset>
      {names.length > 0 && (
        <div className={css.bar}>
          {update.error && <Notice tone="danger">{problemOf(update.error)}</Notice>}
          <div className={css.barRow}>
            <span aria-live="polite">{t.deviceConfig.changes({ count: names.length })}</span>
            <Button onClick={() => setDraft({})}>{t.deviceConfig.discard}</Button>
            <Button kind="primary" type="submit" isBusy={update.isPending} disabled={isWrong}>
              {t.deviceConfig.save}
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}
