/** Why a move does not begin, or does not go on: a whole sentence for the operator. */
export class MoveRefused extends Error {}
