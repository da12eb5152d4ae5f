-- Record that consoles watch the dry run ('watched_at') or asked it to stop ('stopped_at').
-- KEYS: rehearsal.
-- ARGV: the field to set.
-- Returns {running 1 or 0, last progress}, or nothing if there is no run.
local held = redis.call('HMGET', KEYS[1], 'run', 'progress')
if not held[2] then
  return {}
end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000))
return { held[1] and 1 or 0, held[2] }
