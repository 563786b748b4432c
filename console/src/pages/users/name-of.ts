/** What a user is called: their name, or how they sign in. */
export const nameOf = ({ name, email }: { name: string | null; email: string }) => name || email;
