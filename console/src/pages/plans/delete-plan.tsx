import { type Plan, useDeletePlan } from '../../api/plans.ts';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';

const words = t.plans;

export function DeletePlan({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const remove = useDeletePlan();
  return (
    <ActDialog
      title={words.deleteTitle({ name: plan.displayName ?? plan.name })}
      action={words.delete}
      done={words.deleted}
      act={() => remove.mutateAsync({ id: plan.id })}
      onClose={onClose}
    >
      {words.deleteText}
    </ActDialog>
  );
}
