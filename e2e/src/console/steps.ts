/** Counts what a person does to reach a goal. Filling in a form counts with its button. */
export function countSteps(taken = 0) {
  const steps = {
    taken,
    async step(press: Promise<unknown>): Promise<void> {
      await press;
      steps.taken++;
    },
  };
  return steps;
}
