/**
 * A full ARN of a queue and nothing that only looks like one: partition, region, account, name. A queue's URL is none,
 * since it could lead anywhere.
 */
export const QUEUE_ARN =
  /^arn:(aws|aws-cn|aws-us-gov):sqs:([a-z]{2,}(?:-[a-z]+)+-\d{1,2}):(\d{12}):([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$/;
