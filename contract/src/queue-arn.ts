/**
 * The full ARN of a queue: partition, region, account and name. Queue URLs are not accepted, since a URL could point to
 * any host.
 */
export const QUEUE_ARN =
  /^arn:(aws|aws-cn|aws-us-gov):sqs:([a-z]{2,12}(?:-[a-z]{1,12}){1,3}-\d{1,2}):(\d{12}):([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$/;

/** Prefix of a forwarder's status and error if its queue needs a proof of ownership. */
/** The code of that reason. */
export const UNPROVEN_CODE = 'queueUnproven';
export const UNPROVEN_QUEUE = 'The queue is not verified';
