/** The token stands behind the # of the link, so that no server and no log of addresses sees it. */
export const tokenOfLink = () => location.hash.slice(1);
