/** The token follows the # of the link, so that it is never sent to a server or logged. */
export const tokenOfLink = () => location.hash.slice(1);
