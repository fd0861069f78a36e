/** Messages to text and back, in JSON. Knows no message by name: an unknown `type` is for the caller to ignore. */

/** Thrown for text that is no message; the connection can go on with the next one. */
export class CodecError extends Error {}

/** The body that stands for `message`. */
export function encode(message) {
  return JSON.stringify(message);
}

/** What the room sent. Throws `CodecError` for anything but one object with a `type`. */
export function decode(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    throw new CodecError("not one JSON value"); // the parser's own text may quote a token
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new CodecError("a message is a map of fields");
  }
  if (typeof message.type !== "string") throw new CodecError("the field `type` is missing or no text");
  return message;
}
