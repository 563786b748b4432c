const URGENT: ReadonlySet<string> = new Set(['button', 'acc', 'alertMode']);

/** Kinds of triggers that reach people whatever the hour, and however old the news is. */
export const isUrgent = (triggerType: string): boolean => URGENT.has(triggerType);
