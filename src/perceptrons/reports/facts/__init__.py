"""What a report says, as plain data: a module per section, numbers beside the words they are said in."""
