/** Encode and decode messages as JSON. It knows no message types: the caller ignores an unknown `type`. */

/** Thrown for text that is no message; the connection can go on with the next one. */
export class CodecError extends Error {}

/** Encode `message`. */
export function encode(message) {
  return JSON.stringify(message);
}

/** Decode a message of the room. Throws `CodecError` for anything but one object with a `type`. */
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
