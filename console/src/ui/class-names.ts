/** Joins the class names that are set. */
export const classes = (...names: (string | false | null | undefined)[]) => names.filter(Boolean).join(' ');
