import { type Plan, useDeletePlan } from '../../api/plans.ts';
import { t } from '../../texts/t.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.plans;

export function DeletePlan({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const remove = useDeletePlan();
  const confirm = async () => {
    try {
      await remove.mutateAsync({ id: plan.id });
      toast({ text: words.deleted });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    onClose();
  };
  return (
    <ConfirmDialog
      title={words.deleteTitle(plan.displayName ?? plan.name)}
      action={words.delete}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={remove.isPending}
    >
      {words.deleteText}
    </ConfirmDialog>
  );
}
