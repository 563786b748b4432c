/** The display name of a user: their name, or their e-mail address. */
export const nameOf = ({ name, email }: { name: string | null; email: string }) => name || email;
