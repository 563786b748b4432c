import { Link } from 'wouter';
import { type Trigger, useTriggers } from '../../../api/triggers.ts';
import { MadeBy } from '../../../forms/made-by.tsx';
import { iconOfType } from '../../../forms/trigger-types.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { FramedList } from '../../../ui/framed-list.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Row, Stack } from '../../../ui/page.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { SheetProps } from '../rights.ts';
import { TriggerSentence } from './trigger-sentence.tsx';
import css from './ways.module.css';

/** The viewer's triggers of this device. */
export default function TriggersSheet({ device, rights }: SheetProps) {
  const query = useTriggers(device.id);
  const add = (shrinks: boolean) =>
    rights.mayManage && (
      <ButtonLink href={`/alerts/new?device=${device.id}`} kind="primary" icon="plus" shrinks={shrinks}>
        {t.deviceWays.addTrigger}
      </ButtonLink>
    );
  return (
    <Loaded query={query}>
      {(triggers) =>
        triggers.length === 0 ? (
          <EmptyState icon="bell" title={t.deviceWays.noTriggers} action={add(false)}>
            {t.deviceWays.noTriggersHint}
          </EmptyState>
        ) : (
          <Stack>
            <Row spread>
              <p className={css.lead}>{t.deviceWays.triggersLead}</p>
              <Row>
                <ButtonLink href={`/notifications?device=${device.id}`} icon="bell" shrinks>
                  {t.deviceWays.allNotifications}
                </ButtonLink>
                {add(true)}
              </Row>
            </Row>
            <FramedList>
              {triggers.map((trigger) => (
                <li key={trigger.id}>
                  <TriggerRow trigger={trigger} device={device} mayManage={rights.mayManage} />
                </li>
              ))}
            </FramedList>
          </Stack>
        )
      }
    </Loaded>
  );
}

function TriggerRow({
  trigger,
  device,
  mayManage,
}: Pick<SheetProps, 'device'> & { trigger: Trigger; mayManage: boolean }) {
  const content = (
    <>
      <span className={css.mark}>
        <Icon name={iconOfType(trigger.type)} size={20} />
      </span>
      <span className={css.sentence}>
        <strong>
          <TriggerSentence trigger={trigger} device={device} />
        </strong>
        <span className={css.soft}>
          {trigger.name !== trigger.type && `${trigger.name} · `}
          {trigger.lastTriggered ? (
            <>
              {t.deviceWays.lastFired} <Ago time={trigger.lastTriggered} />
            </>
          ) : (
            t.deviceWays.neverFired
          )}
        </span>
        <div className={css.soft}>
          <MadeBy of={trigger} />
        </div>
      </span>
      {mayManage && <Icon name="right" size={18} />}
    </>
  );
  if (!mayManage) return <div className={css.trigger}>{content}</div>;
  return (
    <Link href={`/alerts/${device.id}/${trigger.id}`} className={css.trigger}>
      {content}
    </Link>
  );
}
